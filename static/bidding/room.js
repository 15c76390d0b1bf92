// The live room: news by socket, healed by `eventos?desde=`; bids by POST with an id made here; never decides, never resends.
const scene = document.querySelector("[data-edital]");
const { edital, ponto } = scene.dataset;
const mine = Number(scene.dataset.licitante) || 0;
const step = Number(scene.dataset.passo);
const find = (name) => document.querySelector(`[data-${name}]`);
const conn = find("conn"), dock = find("dock"), answer = find("answer");
const token = document.querySelector("meta[name=csrf-token]")?.content;
const reais = (centavos) => "R$ " + (centavos / 100).toLocaleString("pt-BR");
const over = ["CLOSED", "DESERTED"].includes(scene.dataset.estado);
let seq = Number(scene.dataset.seq), end = Date.parse(scene.dataset.fim), least = 0, typing = false;

// Server time: offset of the sample with the smallest round trip, on the monotonic clock; the device's clock is not asked.
let offset = Date.parse(scene.dataset.agora) - performance.now(), bestTrip = Infinity;
const serverNow = () => performance.now() + offset;
async function sample() {
  const before = performance.now();
  try {
    const told = await (await fetch("/hora", { cache: "no-store" })).json();
    const trip = performance.now() - before;
    if (trip < bestTrip) { bestTrip = trip; offset = Date.parse(told.agora) + trip / 2 - performance.now(); }
  } catch { /* the pill says it */ }
}

function tick() {
  const left = end - serverNow();
  const face = find("clock"), hour = find("hour");
  if (!Number.isNaN(end) && !over) {
    const s = Math.max(0, Math.floor(left / 1000));
    face.textContent = left <= 0 ? "Encerrando…" : `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
  }
  hour.textContent = new Date(serverNow()).toLocaleTimeString("pt-BR", { timeZone: "America/Sao_Paulo" });
}

function show(state) {
  if (state.seq < seq) return;
  const passed = state.seq > seq, news = passed || least === 0;
  seq = state.seq; end = Date.parse(state.fim_em ?? ""); least = state.minimo;
  find("best").textContent = state.melhor === null ? "nenhum lance" : reais(state.melhor);
  find("leader").textContent = state.licitante ? `Licitante ${state.licitante}` : "";
  const tag = find("status")?.querySelector(".tag");
  if (tag && state.estado === "contested") { tag.className = "tag live"; tag.textContent = "Em lances"; }
  if (!["contested", "waiting"].includes(state.estado)) { if (passed) location.reload(); return; }
  // A poll that brings nothing new touches neither the values nor what somebody is typing.
  if (dock && news) { if (passed) values(); standing(state); }
}

function standing(state) {
  const box = find("state"), leads = state.licitante === mine;
  if (state.melhor === null && state.estado !== "contested") return;
  box.innerHTML = "";
  const line = document.createElement("div");
  line.className = state.melhor === null ? "state off" : leads ? "state win" : "state out";
  line.textContent = state.melhor === null ? "Em lances. Ainda não há lance." : leads ? "O maior lance é seu" : `O maior lance não é seu. Para passar à frente: ${reais(least)} ou mais.`;
  box.append(line);
  if (state.melhor !== null) document.title = `${leads ? "Ganhando" : "⚠ Superado"} — Ponto ${ponto}`;
}

// A value never changes under the thumb: 0.8 s of lock after each change.
let locked = 0;
function values() {
  const radios = [...dock.querySelectorAll("[name=rapido]")];
  [1, 2, 5].forEach((times, at) => {
    const value = least + step * (times - 1);
    radios[at].value = value / 100;
    radios[at].parentElement.querySelector("b").textContent = reais(value);
  });
  if (!typing) chosen();
  const until = performance.now() + 800;
  locked = until;
  dock.querySelector(".bid").setAttribute("aria-disabled", "true");
  setTimeout(() => { if (locked === until) dock.querySelector(".bid").removeAttribute("aria-disabled"); }, 800);
}
function chosen() {
  const radio = dock.querySelector("[name=rapido]:checked");
  typing = false;
  dock.valor.value = radio.value;
  find("bid-value").textContent = reais(Number(radio.value) * 100);
}

async function heal() {
  const answer = await fetch(`/l/${edital}/pontos/${ponto}/eventos?desde=${seq}`);
  if (!answer.ok) return;
  const told = await answer.json();
  // Two heals may be under way at once: what the first one showed, the second one passes over.
  for (const event of told.eventos) if (event.seq > seq) note(event);
  show(told.estado);
}

function note(event) {
  const log = find("log");
  if (event.tipo === "BidWithdrawn") undone(log.querySelector(`[data-numero="${event.numero}"]`));
  if (event.tipo !== "BidPlaced") return;
  find("nothing")?.remove();
  const line = document.createElement("li");
  line.dataset.numero = event.numero;
  const when = document.createElement("time"), who = document.createElement("span"), much = document.createElement("span");
  when.textContent = new Date(event.em).toLocaleTimeString("pt-BR", { timeZone: "America/Sao_Paulo" });
  who.textContent = `Licitante ${event.licitante}${event.licitante === mine ? " (você)" : ""}`;
  much.className = "v num"; much.textContent = reais(event.valor);
  line.append(when, who, much);
  log.prepend(line);
}

function undone(line) {
  if (!line) return;
  line.className = "void";
  line.children[1].append(" — desfeito");
}

async function send(event) {
  event.preventDefault();
  const button = dock.querySelector(".bid");
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  const body = JSON.stringify({ id: crypto.randomUUID(), valor: dock.valor.value, visto: seq });
  try {
    const got = await fetch(dock.action, { method: "POST", body, headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": token } });
    const told = await got.json();
    say(got.status === 201 ? `Registrado nº ${told.numero}: ${reais(told.valor)}` : got.status === 202 ? "Conferindo com o servidor… não dê outro lance." : `Não registrado. ${told.motivo}`, got.status === 201);
  } catch { say("Sem resposta. Conferindo… não dê outro lance.", false); }
  typing = false;
  await heal().catch(() => {});
  button.removeAttribute("aria-disabled");
}
function say(text, good) { answer.hidden = false; answer.className = `alert ${good ? "ok" : "bad"}`; answer.textContent = text; }

function pill(kind, text) {
  if (!conn) return;
  conn.className = `conn ${kind}`; conn.querySelector("span").textContent = text;
}

if (dock) {
  dock.addEventListener("submit", send);
  dock.addEventListener("change", (event) => { if (event.target.name === "rapido") chosen(); });
  dock.valor.addEventListener("input", () => { typing = true; find("bid-value").textContent = `R$ ${dock.valor.value}`; });
}
if (window.io) {
  const socket = window.io({ transports: ["websocket", "polling"] });
  socket.on("connect", () => { pill("", "Conectado"); socket.emit("assistir", { edital, ponto: Number(ponto) }); heal().catch(() => {}); });
  socket.on("disconnect", () => pill("bad", "Sem conexão"));
  socket.on("estado", (state) => { if (state.seq > seq) heal().catch(() => show(state)); });
}
setInterval(tick, 250);
setInterval(() => heal().catch(() => pill("bad", "Sem conexão")), 3000);
for (let n = 0; n < 5; n += 1) setTimeout(sample, n * 300);
setInterval(sample, 30000);
document.addEventListener("visibilitychange", () => { if (!document.hidden) { sample(); heal().catch(() => {}); } });
