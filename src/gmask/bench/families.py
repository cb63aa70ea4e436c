"""Families of words that can stand for one another in a sentence, and then say something else.

Each string is a set: any of its words may stand for any other. The forms of a word (plural, -s, -ing, past) have
slashes between them, and stand for the same form of another word. No word is in two sets.
"""

from __future__ import annotations

from functools import cache

__all__ = ["FAMILIES", "family_words"]

FAMILIES: dict[str, tuple[str, ...]] = {
    "colours": ("red blue green yellow black white brown purple pink grey orange",),
    "numbers": (
        "two three four five six seven eight nine ten eleven twelve twenty thirty fifty",
        "2 3 4 5 6 7 8 9 10 11 12 15 20 30 50 100",
        "first second third fourth fifth",
    ),
    "people": (
        "man/men woman/women boy/boys girl/girls",
        (
            "mother/mothers father/fathers brother/brothers sister/sisters son/sons daughter/daughters uncle/uncles "
            "aunt/aunts"
        ),
        "husband/husbands wife/wives",
        "lady/ladies gentleman/gentlemen",
        "king/kings queen/queens",
        (
            "doctor/doctors teacher/teachers lawyer/lawyers farmer/farmers waiter/waiters soldier/soldiers "
            "nurse/nurses dancer/dancers singer/singers student/students actor/actors engineer/engineers "
            "artist/artists"
        ),
    ),
    "animals": (
        (
            "dog/dogs cat/cats horse/horses cow/cows goat/goats pig/pigs bird/birds rabbit/rabbits monkey/monkeys "
            "lion/lions tiger/tigers duck/ducks snake/snakes mouse/mice elephant/elephants puppy/puppies "
            "kitten/kittens camel/camels wolf/wolves ant/ants bee/bees"
        ),
    ),
    "instruments": (
        (
            "guitar/guitars piano/pianos violin/violins drum/drums trumpet/trumpets flute/flutes banjo/banjos "
            "cello/cellos saxophone/saxophones accordion/accordions harp/harps"
        ),
    ),
    "sports": ("football soccer basketball baseball tennis hockey volleyball golf rugby cricket badminton chess",),
    "actions": (
        (
            "walking running swimming dancing sleeping singing eating reading jumping cooking painting fishing "
            "climbing skiing surfing skating crying laughing"
        ),
        "walks runs swims dances sleeps sings eats reads jumps cries laughs climbs",
    ),
    "clothes": (
        "shirt/shirts jacket/jackets coat/coats sweater/sweaters dress/dresses skirt/skirts",
        "hat/hats helmet/helmets cap/caps scarf/scarves",
        "jeans shorts trousers pants",
        "shoes boots sandals sneakers gloves",
    ),
    "vehicles": (
        (
            "car/cars truck/trucks bus/buses bicycle/bicycles bike/bikes motorcycle/motorcycles train/trains "
            "boat/boats plane/planes tractor/tractors taxi/taxis ship/ships"
        ),
    ),
    "food": (
        (
            "apple/apples banana/bananas tomato/tomatoes potato/potatoes carrot/carrots onion/onions egg/eggs "
            "cake/cakes sandwich/sandwiches pizza/pizzas burger/burgers"
        ),
        "bread rice cheese meat chicken soup salad pasta",
        "coffee tea beer wine milk juice water",
    ),
    "scenes": (
        (
            "beach/beaches park/parks street/streets forest/forests river/rivers lake/lakes mountain/mountains "
            "field/fields desert/deserts garden/gardens"
        ),
        (
            "library/libraries restaurant/restaurants church/churches museum/museums school/schools "
            "hospital/hospitals office/offices airport/airports station/stations stadium/stadiums "
            "supermarket/supermarkets"
        ),
        "kitchen/kitchens bedroom/bedrooms garage/garages bathroom/bathrooms",
    ),
    "lands": (
        (
            "india china japan france germany italy spain russia canada australia brazil mexico egypt iran iraq "
            "pakistan america england ireland"
        ),
        (
            "indian chinese japanese french german italian spanish russian canadian australian brazilian mexican "
            "egyptian american english irish"
        ),
        "london paris rome berlin moscow tokyo delhi mumbai chicago boston houston toronto sydney",
    ),
    "times": (
        "monday tuesday wednesday thursday friday saturday sunday",
        "january february april june july august september october november december",
        "spring summer autumn winter",
        "morning/mornings afternoon/afternoons evening/evenings",
        "day/days week/weeks month/months year/years hour/hours minute/minutes",
        "yesterday today tomorrow",
    ),
    "subjects": (
        "physics chemistry biology mathematics history geography philosophy psychology economics medicine",
        "java python javascript php ruby",
    ),
    "opposites": (
        "open/opens/opening/opened close/closes/closing/closed",
        "sit/sits/sitting/sat stand/stands/standing/stood",
        "buy/buys/buying/bought sell/sells/selling/sold",
        "win/wins/winning/won lose/loses/losing/lost",
        "love/loves/loving/loved hate/hates/hating/hated",
        "push/pushes/pushing/pushed pull/pulls/pulling/pulled",
        "rise/rises/rising/rose fall/falls/falling/fell",
        "increase/increases/increasing/increased decrease/decreases/decreasing/decreased",
        "accept/accepts/accepting/accepted reject/rejects/rejecting/rejected",
        "gain/gains/gaining/gained drop/drops/dropping/dropped",
        "start/starts/starting/started stop/stops/stopping/stopped",
        "arrive/arrives/arriving/arrived leave/leaves/leaving/left",
        "inside outside",
        "indoors outdoors",
        "asleep awake",
        "up down",
        "over under",
        "before after",
        "with without",
        "always never",
        "old young",
        "big small",
        "large tiny",
        "tall short",
        "long brief",
        "hot cold",
        "happy sad",
        "clean dirty",
        "wet dry",
        "full empty",
        "fast slow",
        "loud quiet",
        "high low",
        "higher lower",
        "more less",
        "most least",
        "best worst",
        "better worse",
        "good bad",
        "rich poor",
        "safe dangerous",
        "easy difficult",
        "early late",
        "cheap expensive",
        "strong weak",
        "light dark",
        "male female",
        "public private",
        "alive dead",
        "north south",
        "front back",
        "everybody nobody",
        "everyone someone",
    ),
}


@cache
def family_words() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Every word in every form: its family, and the words that can stand for it."""
    found = {}
    for family, sets in FAMILIES.items():
        for members in sets:
            for alike in zip(*(word.split("/") for word in members.split()), strict=True):  # a form of all words
                for word in alike:
                    found[word] = family, tuple(other for other in alike if other != word)
    return found
