"""Browser tests share one demonstration where they only look, and start their own where they act."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.site import DemoSite


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoSite]:
    """A demonstration to look at."""
    found = DemoSite(tmp_path_factory.mktemp("demo") / "data")
    yield found
    found.close()


@pytest.fixture
def quick_site(tmp_path: Path) -> Iterator[DemoSite]:
    """A demonstration of one's own, whose open stage lasts twenty seconds."""
    found = DemoSite(tmp_path / "data", open_stage=20)
    yield found
    found.close()
