// What every page shares: citations that close and print open, a fresh form id after "back", fetch with the CSRF token,
// and the server's clock. Everything works without it.

const law = () => document.querySelectorAll("details.law");

// Esc closes the citation or menu one is in; a click elsewhere closes the menu, which lies over the page.
const close = (open) => open && ((open.open = false), open.firstElementChild.focus());
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close(document.activeElement?.closest("details.law[open],details.menu[open]"));
});
document.addEventListener("click", (event) => {
  const menu = document.querySelector("details.menu[open]");
  if (menu && !menu.contains(event.target)) menu.open = false;
});
let shut = [];
addEventListener("beforeprint", () => (shut = [...law()].filter((one) => !one.open)).forEach((one) => (one.open = true)));
addEventListener("afterprint", () => shut.forEach((one) => (one.open = false)));

// A form that the browser kept for "back" asks for something new: it needs a new id.
export const newId = () => "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (c) =>
  (c ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (c / 4)))).toString(16));
addEventListener("pageshow", (event) => {
  if (event.persisted) for (const one of document.querySelectorAll("input[name=pedido]")) one.value = newId();
});

// <button data-open="id"> opens <dialog id="id">; focus goes to its title, Esc and the safe button close it.
document.addEventListener("click", (event) => {
  const dialog = document.getElementById(event.target.closest?.("[data-open]")?.dataset.open);
  dialog?.showModal();
  dialog?.querySelector("[tabindex]")?.focus();
});

// <a data-ask href="/pedidos/…">: ask every three seconds, and go there once the desk has answered.
const ask = document.querySelector("[data-ask]");
if (ask) setInterval(async () => {
  const answer = await fetch(ask.href, { headers: { Accept: "application/json" } }).catch(() => null);
  if (answer && answer.status !== 202) location.assign(ask.href);
}, 3000);

// After an error the reader starts at what is wrong.
document.querySelector("[data-focus]")?.focus();

// POST of plain data with the CSRF token; the answer is parsed JSON with `status`. `id` makes a repeat harmless.
export async function post(address, data, id = newId()) {
  const token = document.querySelector("meta[name=csrf-token],input[name=csrf_token]");
  const answer = await fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": token?.content ?? token?.value ?? "" },
    body: JSON.stringify({ ...data, pedido: id }),
  });
  return { ...(await answer.json()), status: answer.status };
}

// The server's clock: milliseconds since 1970, from the sample with the shortest round trip among the last eight.
const samples = [];
export function heard(server, sent, received = performance.now()) {
  samples.push({ trip: received - sent, offset: server - (sent + received) / 2 });
  if (samples.length > 8) samples.shift();
}
export const now = () => samples.length
  ? performance.now() + samples.reduce((best, one) => (one.trip < best.trip ? one : best)).offset
  : Date.now();
