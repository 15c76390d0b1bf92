"""What a first visit costs: bytes on the wire, and nothing from anywhere else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.site import EDITAL, PHONE, DemoSite, Visitor

pytestmark = [pytest.mark.browser]

PORTAL_MAX = 25 * 1024
ROOM_MAX = 45 * 1024


def _first_load(visitor: Visitor, path: str) -> tuple[int, list[str]]:
    """Bytes received by a cold visit, headers included, and every address asked."""
    devtools = visitor.context.new_cdp_session(visitor.page)
    devtools.send("Network.enable")
    devtools.send("Network.clearBrowserCache")
    sizes: list[int] = []
    asked: list[str] = []
    devtools.on("Network.loadingFinished", lambda event: sizes.append(int(event["encodedDataLength"])))
    devtools.on("Network.requestWillBeSent", lambda event: asked.append(event["request"]["url"]))
    visitor.page.goto(path, wait_until="networkidle" if path == "/" else "load")
    visitor.page.wait_for_function("document.readyState === 'complete'")
    return sum(sizes), asked


def test_the_portal_loads_within_25_kb_and_asks_nobody_else(browser: Any, site: DemoSite) -> None:
    visitor = Visitor(browser, site, PHONE)
    size, asked = _first_load(visitor, "/")
    visitor.close()
    assert 0 < size <= PORTAL_MAX
    assert all(address.startswith((site.base, "data:")) for address in asked)


def test_the_public_view_of_a_stand_loads_within_45_kb(browser: Any, site: DemoSite) -> None:
    visitor = Visitor(browser, site, PHONE)
    size, asked = _first_load(visitor, f"/l/{EDITAL}/pontos/1/vivo")
    visitor.close()
    assert 0 < size <= ROOM_MAX
    assert all(address.startswith((site.base, "data:")) for address in asked)
