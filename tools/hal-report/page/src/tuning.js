// What hal-tune tried for an executable: how the best one got better, and the candidates.
import uPlot from "uplot";
import { colour, h } from "./dom.js";
import { time } from "./format.js";

export function tuning(e, body) {
  for (const group of e.tuning) {
    body.append(h("h3", { title: group.target }, group.target.split("@")[0]), h("p.muted", null, `measured on ${group.machine || "an unknown machine"}; the speed-up is over the compiler's own choice, or the kernel at that time`));
    if (group.winner) body.append(h("p", null, h("strong", null, `Winner: ${factor(group.winner[1])} `), h("code", null, group.winner[0])));
    if (group.trials.some((t) => t.ratio)) body.append(chart(group));
    body.append(table(group));
  }
}

function factor({ speedup, interval: [low, high] }) {
  return `${speedup.toFixed(3)} × (${low.toFixed(3)} … ${high.toFixed(3)})`;
}

/** The speed-up of each candidate, and of the best one so far where the order is known. */
function chart({ trials, in_order: inOrder }) {
  const measured = trials.filter((t) => t.ratio).map((t) => t.ratio.speedup);
  let best = 0;
  const so = measured.map((s) => (best = Math.max(best, s)));
  const holder = h(".chart");
  const options = {
    width: 360, height: 120, legend: { show: false }, cursor: { show: false }, padding: [8, 8, 0, 0],
    scales: { x: { time: false }, y: { range: (u, low, high) => [Math.max(0, low - 0.05), high + 0.05] } },
    axes: [
      { stroke: colour("muted"), grid: { show: false }, ticks: { show: false }, size: 22, font: "10px system-ui", values: (u, v) => v.map((x) => (Number.isInteger(x) ? x : "")) },
      { stroke: colour("muted"), grid: { stroke: colour("line"), width: 1 }, ticks: { show: false }, size: 46, font: "10px system-ui", values: (u, v) => v.map((x) => `${x.toFixed(2)} ×`) },
    ],
    series: [{}, { stroke: colour("accent"), width: 0, paths: () => null, points: { show: true, size: 5, fill: colour("accent") } },
      ...(inOrder ? [{ stroke: colour("good"), width: 1.5, points: { show: false } }] : [])],
  };
  new uPlot(options, [measured.map((_, i) => i + 1), measured, ...(inOrder ? [so] : [])], holder);
  return h("div", null, holder, h("p.muted", null, inOrder ? "Candidates in the order in which they were measured; the line is the best one so far." : "Candidates, the fastest one first: a database does not keep their order."));
}

function table({ trials, left_out: leftOut }) {
  const row = (t) => h("tr", null,
    h("td.number", null, t.ratio ? factor(t.ratio) : "–"), h("td.number", null, t.seconds == null ? "–" : time(t.seconds)),
    h("td.wide", { title: t.candidate }, h("span.tag", null, t.kind), " ", h("code", null, t.candidate)),
    h("td.wide", { title: t.outcome }, t.outcome));
  return h("div", null, h(".scroll.trials", null, h("table", null,
    h("thead", null, h("tr", null, ["Speed-up", "Time", "Candidate", "Outcome"].map((title) => h("th", null, title)))),
    h("tbody", null, trials.map(row)))),
    leftOut ? h("p.muted", null, `${leftOut} slower ones are left out; hal-tune --tuning=FILE --export=FILE writes all of them.`) : null);
}
