import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyCheckout, personAt } from "../../test/pages/prepare-checkout.ts";
import { checkout } from "../../test/pages/read-page.ts";
import { Terminal } from "../../test/pages/terminal.ts";

/** What is typed for the picture, and which lines of its output are shown. */
const scenes: readonly { readonly typed: string; readonly shown: (lines: string[]) => string[] }[] = [
  { typed: "make up", shown: (lines) => lines.filter((line) => /is running|fake nodes|done$|are ready/.test(line)) },
  { typed: "export PATH=~/.cache/tenon/bin:$PATH", shown: () => [] },
  { typed: "cd ~/.local/share/tenon/clusters/default/world", shown: () => [] },
  { typed: "sed -i 's/shards: 2/shards: 3/' data/integrations/github-members.yml", shown: () => [] },
  { typed: "tenon plan", shown: (lines) => lines },
];

export const picture = join(checkout, "docs", "first-change.svg");

/** The picture of README, from a real run; `node docs/generate/picture.ts` writes it. */
export async function drawPicture(): Promise<string> {
  await using home = await mkdtempDisposable(join(tmpdir(), "tenon-picture-"));
  const folder = join(home.path, "tenon");
  await copyCheckout(folder);
  await using terminal = await Terminal.open({ folder, env: await personAt(home.path) });
  const lines: string[] = [];
  for (const { typed, shown } of scenes) {
    const { output } = await terminal.type(typed);
    lines.push(`$ ${typed}`, ...shown(output.trimEnd().split("\n")).filter((line) => line !== ""));
  }
  await terminal.type("tenon cluster reset -y");
  return toSvg(lines);
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
  <title>make up, a changed data file, and the plan</title>
  <rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${texts.join("\n")}
</svg>
`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

if (import.meta.main) await writeFile(picture, await drawPicture());
