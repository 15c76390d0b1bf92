// A page of several stands, kept fresh: every few seconds its middle is fetched anew, unless somebody is busy in it.
const place = document.querySelector("[data-fresh]");
const seconds = Number(place.dataset.fresh);

async function renew() {
  if (document.hidden || place.contains(document.activeElement)) return;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector("[data-fresh]");
  if (fresh) place.replaceChildren(...fresh.childNodes);
}
setInterval(() => renew().catch(() => {}), seconds * 1000);
