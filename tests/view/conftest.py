from __future__ import annotations

import pytest

from gmask.explanation import Explanation
from tests.explanations import ALL


@pytest.fixture(params=ALL)
def any_explanation(request) -> Explanation:
    return ALL[request.param]()
