import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { copyCheckout, personAt } from "../../test/pages/prepare-checkout.ts";
import { checkout } from "../../test/pages/read-page.ts";
import { Terminal } from "../../test/pages/terminal.ts";
import { photographRelease } from "./photograph-release.ts";

interface PictureScene {
  readonly typed: string;
  readonly shown: (lines: string[]) => string[];
}

/** What is typed for the picture, and which lines of its output are shown. */
const scenes: readonly PictureScene[] = [
  { typed: "make up", shown: (lines) => lines.filter((line) => /is running|fake nodes|done$|are ready/.test(line)) },
  { typed: "export PATH=~/.cache/tenon/bin:$PATH", shown: () => [] },
  { typed: "cd ~/.local/share/tenon/clusters/default/world", shown: () => [] },
  { typed: "sed -i 's/shards: 2/shards: 3/' data/integrations/github-members.yml", shown: () => [] },
  { typed: "tenon plan", shown: (lines) => lines },
];

const released = "parcels-release";
/** The Release that `make up` makes has a generated name, which a person completes with Tab. */
const findRelease = `tenon get releases -n ${released} -o json`;

export const pictures = {
  /** What README types and sees. */
  terminal: join(checkout, "docs", "first-change.svg"),
  /** The console, in a browser, with the Release of the terminal. */
  console: join(checkout, "docs", "console.png"),
} as const;

interface Pictures {
  readonly terminal: string;
  readonly console: Uint8Array;
}

/** The pictures of README, from one real run; `node docs/generate/picture.ts` writes them. */
export async function drawPictures(): Promise<Pictures> {
  await using home = await mkdtempDisposable(join(tmpdir(), "tenon-picture-"));
  const folder = join(home.path, "tenon");
  await copyCheckout(folder);
  await using terminal = await Terminal.open({ folder, env: await personAt(home.path) });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(async () => void (await terminal.type("tenon cluster reset -y")));
  const lines: string[] = [];
  const show = async ({ typed, shown }: PictureScene): Promise<void> => {
    const { output } = await terminal.type(typed);
    lines.push(`$ ${typed}`, ...shown(output.trimEnd().split("\n")).filter((line) => line !== ""));
  };
  for (const scene of scenes) await show(scene);
  const { output } = await terminal.type(findRelease);
  const [{ release } = { release: "" }] = z.array(z.object({ release: z.string() })).parse(JSON.parse(output));
  await show({ typed: `tenon explain release/${released}/${release}`, shown: (found) => found });
  const kubeconfig = (await terminal.type("tenon cluster kubeconfig")).output.trim();
  return { terminal: toSvg(lines), console: await photographRelease(kubeconfig, { namespace: released, release }) };
}

const [charWidth, lineHeight, margin] = [8.4, 19, 16];
const colours: readonly (readonly [RegExp, string])[] = [
  [/^\$ /, "#ffffff"],
  [/^ +\+ /, "#7ee787"],
  [/^ +~ /, "#e3b341"],
];

function toSvg(lines: readonly string[]): string {
  const [width, height] = [Math.ceil(80 * charWidth + 2 * margin), lines.length * lineHeight + 2 * margin];
  const texts = lines.map((line, index) => {
    const colour = colours.find(([pattern]) => pattern.test(line))?.[1] ?? "#c9d1d9";
    const y = margin + (index + 1) * lineHeight - 5;
    return `  <text x="${margin}" y="${y}" fill="${colour}" xml:space="preserve">${escape(line)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">
  <title>make up, a changed data file, the plan, and a release</title>
  <rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${texts.join("\n")}
</svg>
`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

if (import.meta.main) {
  const drawn = await drawPictures();
  await writeFile(pictures.terminal, drawn.terminal);
  await writeFile(pictures.console, drawn.console);
}
