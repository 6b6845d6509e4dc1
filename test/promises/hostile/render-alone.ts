import { readFileSync } from "node:fs";
import { PlugData, PlugTemplate } from "#template";
import { tenantLimits } from "#golang";

/** Renders one template as Plugs do, in a process of its own, and says how it ended and how much memory it took. */
const text = readFileSync(0, "utf8");
// As in a process that has run for a while: V8's room for short-lived objects has its full size.
const patient = { ...tenantLimits, milliseconds: 60_000 };
const busy = new PlugTemplate("{% range $i := 5000 %}{% upper $.name %}{% end %}", { limits: patient });
for (let round = 0; round < 200; round += 1) busy.render(new PlugData({ name: "warm" }));
const before = process.resourceUsage().maxRSS;
let ending = "it ended well";
try {
  new PlugTemplate(text).render(
    new PlugData({ name: "web", list: Array.from({ length: 1_000 }, (_, index) => index) }),
  );
} catch (error) {
  ending = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
const growth = (process.resourceUsage().maxRSS - before) / 1_024;
process.stdout.write(JSON.stringify({ ending, growth }));
