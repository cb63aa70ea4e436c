"""The language of a text, by its very common words: a guess that costs microseconds."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

__all__ = ["COMMON", "language_of", "letters"]

# Of equals, the one that stands first is meant.
COMMON = {
    code: frozenset(words.split())
    for code, words in {
        "en": """a about after all also although am among an and another any are as at be because been before being
            between both but by can could did do does doing during each every few for from had has have having he her
            here him his how i if in into is it its just less many may me might more most much must my no none not of
            off on once one only or other our out over own same she should since so some still such than that the their
            them then there these they this those three through to two under until up us very was we were what when
            where whether which while who whose why will with within without would yet you your""",
        "de": """aber alle als am an auch auf aus bei bin bis da damit dann das dass dem den der des die diese
            dieser doch du durch ein eine einem einen einer eines er es etwa für gegen gibt habe haben hat hatte ich
            ihr ihre im in ist kann kein keine mehr meine mich mir mit nach nicht noch nur ob oder ohne sehr
            sein seine sich sie sind so und uns unter vom von vor war waren warum was wegen weil welche wenn wer
            werden wie wir wird wo wurde wurden zu zum zur zwei zwischen über""",
        "fr": """a ai au aucun aussi autre aux avec avoir bien ce ces cette combien comment dans de depuis des deux
            donc du elle elles en entre est et eu fait il ils je jusqu la le les leur leurs lui ma mais mes moi mon
            même ne ni nos notre nous on ont ou où par pas peu peut peuvent plus pour pourquoi puis quand que quel
            quelle quelles quels qui sa sans se ses si son sont sous sur très tu un une vers vos votre vous y à était
            été être""",
        "es": """a al algo antes aunque bien como con contra cuando cuál cuánto cómo de del desde donde dos durante
            dónde el ella ellos en entre era eran es esa ese eso esta estaba este esto está están fue ha han hasta hay
            la las le les lo los me mi muy más ni no nos os para pero por porque puede puedo que quién qué se según ser
            si sin sobre solo son su sus sí también te tiene toda todo todos tu un una unas uno unos y ya yo él""",
        "it": """a agli ai al alcuni all alla alle anche bene che chi ci come con cosa cui da dagli dai dal dall
            dalla dalle degli dei del dell della delle dentro di dietro dopo dove due e era essere finché fino fra gli
            ha hanno ho i il in io la le lei lo loro ma mi mio molto ne negli nei nel nell nella nelle noi non né ogni
            per perché più poi posso può qual quale quali quando quanto quella quello questa questo se senza si sia
            sono sopra sotto stata stato su sua sue sugli sui sul sull sulla suo tra tu tutti tutto un una uno viene
            è""",
        "pt": """a ainda ao aos apenas as atrás até bem com como da das de depois do dois dos duas e ela ele eles
            em entre era eram essa esse esta este está estão eu foi foram há isso isto já lhe mais mas me mesmo meu
            minha muito na nas nem no nos não nós o onde os ou para pela pelas pelo pelos pode podem por porque qual
            quando quanto que quem se sem ser seu seus somente sua suas são só também te tem tinha todo todos um uma
            umas uns você à às é""",
        "nl": """aan achter al alleen als bij dan dat de deze die dit doen door dus een en er geen goed haar had
            heb hebben heeft hem het hier hij hoe hun iets ik in is je jij kan kunnen maar me meer men met mijn moet na
            naar niet nog nu of om omdat onder ons ook op over te ten toch toen tot tussen twee u uit van veel voor
            waar waarom waren was wat we welke werd wie wij worden wordt zal ze zich zij zijn zo zonder zou""",
        # Known only to be told from those above.
        "ca": "a al amb aquest com de del dels el els en entre és eren ha i la les més no per però que ser són un una",
        "ro": "a al am ai ale au care ce cu de din este și sau în la lui mai nu pe pentru prin sa se sunt un una",
        "sv": "att av de den det ett en för från han har hon i inte jag kan med men och om på som till var vi är",
        "da": "af at de den der det du en er et for fra han har hun i ikke jeg kan med men og om på som til var vi",
        "fi": "en ei että hän ja joka jos kun ma me minä mutta myös ne nyt oli on ovat se sen tai tämä voi",
        "pl": "a ale co czy do dla gdy i ich jak jego jest już na nie o od po przez się są to w z za że",
        "cs": "a ale aby by co do i jak jako je jeho jsem jsou k když na ne nebo o od po pro se si to v z za že",
        "hu": "a az azt csak de egy el és ez hogy is két ki kell már meg mint mit nem van volt vagy",
        "tr": "ama ben bir bu çok da daha de değil en gibi için ile ise kadar mi ne o olan olarak sonra ve var yok",
        "id": "ada adalah akan atau bisa dalam dan dari dengan di ini itu juga ke oleh pada saya untuk tidak yang",
        "vi": "bạn các cho của có được đã đó hai khi không là một này người những như tôi trong với và về ở",
    }.items()
}

_SPOKEN = {
    word: [code for code, common in COMMON.items() if word in common] for word in frozenset().union(*COMMON.values())
}
_LETTERS = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[a-z\u00aa-\u024f\u1e00-\u1eff]")
_SHORT = 20  # words; a longer text has common ones


def letters(text: str) -> list[str]:
    """The runs of letters of a text, in lower case."""
    return _LETTERS.findall(unicodedata.normalize("NFC", text).lower())


def language_of(text: str, *others: str) -> str | None:
    """The code of a text's language; None if it is not known.

    One common word may be a name ("de Broglie wavelength"), and two languages may have the same: such a text is held
    to be in the language of the others beside it. A short text without any common word counts as English.
    """
    words = letters(text)
    written = "".join(words)
    counts = _counts(words)
    most = max(counts.values(), default=0)
    if 2 * len(_LATIN.findall(written)) < len(written) or len(words) > _SHORT * max(most, 1):
        return None
    if most < 2 or list(counts.values()).count(most) > 1:
        for other in others:
            counts += _counts(letters(other))
    return max(COMMON, key=lambda code: counts[code])


def _counts(words: list[str]) -> Counter[str]:
    return Counter(code for word in words for code in _SPOKEN.get(word, ()))
