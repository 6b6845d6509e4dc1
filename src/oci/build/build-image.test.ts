import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { LayerEntry } from "./image-layer.ts";
import { type BuildImageOptions, buildImage } from "./build-image.ts";

const tool = join(import.meta.dirname, "../../../bin/tenon");
const long = `/app/${"deep/".repeat(30)}file.txt`;

function optionsOf(...layers: LayerEntry[][]): BuildImageOptions {
  return {
    name: "sample:1",
    layers: layers.map((entries, index) => ({ comment: `layer ${index}`, entries })),
    entrypoint: ["/bin/true"],
  };
}

/** Lists a tar file: name, type, mode, owner, link target. */
function listTar(tar: Buffer): string[] {
  const members: string[] = [];
  let longName: string | undefined;
  for (let at = 0; tar[at] !== 0; ) {
    const field = (offset: number, size: number) =>
      tar.toString("latin1", at + offset, at + offset + size).replace(/\0[^]*$/, "");
    const size = Number.parseInt(field(124, 12), 8);
    const type = field(156, 1);
    const data = tar.toString("utf8", at + 512, at + 512 + size);
    if (type === "x") longName = / path=(.*)\n/.exec(data)?.[1];
    else {
      const mode = Number.parseInt(field(100, 8), 8).toString(8);
      members.push(
        [longName ?? field(0, 100), type, mode, Number.parseInt(field(108, 8), 8), field(157, 100)].join(" "),
      );
      longName = undefined;
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return members;
}

async function layersOf(...layers: LayerEntry[][]): Promise<string[][]> {
  const image = await buildImage(optionsOf(...layers));
  return image.layers.map(({ bytes }) => listTar(gunzipSync(bytes)));
}

describe("buildImage", () => {
  test("gives the same digest for the same files in any order", async () => {
    const files: LayerEntry[] = [
      { path: "/b", contents: "b" },
      { path: "/a", copyOf: import.meta.filename },
    ];
    const [one, other, changed] = await Promise.all(
      [files, files.toReversed(), [{ path: "/b", contents: "c" }]].map((entries) => buildImage(optionsOf(entries))),
    );
    expect(one?.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(other?.digest).toBe(one?.digest);
    expect(changed?.digest).not.toBe(one?.digest);
  });

  test("creates the parent folders of files with mode 755, and keeps long names", async () => {
    const [members = []] = await layersOf([
      { path: long, contents: "x" },
      { path: "/bin/tool", copyOf: tool },
      { path: "/bin/link", linkTo: "tool" },
    ]);
    expect(members.slice(0, 2)).toEqual(["app/ 5 755 0 ", "app/deep/ 5 755 0 "]);
    expect(members).toContain(`${long.slice(1)} 0 644 0 `);
    expect(members.slice(-3)).toEqual(["bin/ 5 755 0 ", "bin/link 2 777 0 tool", "bin/tool 0 755 0 "]);
  });

  test("keeps the mode and owner of a folder that a lower layer has", async () => {
    const layers = await layersOf(
      [{ path: "/tmp", directory: true, mode: 0o1777, owner: 7 }],
      [{ path: "/tmp/x/y", contents: "" }],
    );
    expect(layers).toEqual([["tmp/ 5 1777 7 "], ["tmp/x/ 5 755 0 ", "tmp/x/y 0 644 0 "]]);
  });

  test("writes the entrypoint, environment, user, working directory, labels and ports to the configuration", async () => {
    const { config } = await buildImage({
      ...optionsOf([{ path: "/x", contents: "" }]),
      env: { A: "b" },
      user: "65532:65532",
      workingDirectory: "/x",
      labels: { title: "x" },
      ports: [80],
    });
    expect(JSON.parse(config.bytes.toString())).toMatchObject({
      os: "linux",
      config: {
        Entrypoint: ["/bin/true"],
        Env: ["A=b"],
        User: "65532:65532",
        WorkingDir: "/x",
        Labels: { title: "x" },
        ExposedPorts: { "80/tcp": {} },
      },
    });
  });

  test.each([
    { entries: [{ path: "x", contents: "" }], says: "x is not an absolute path", reason: "a relative path" },
    {
      entries: [
        { path: "/x", contents: "" },
        { path: "//x", contents: "" },
      ],
      says: "/x twice",
      reason: "a path that occurs twice",
    },
  ])("rejects $reason", async ({ entries, says }) => {
    await expect(buildImage(optionsOf(entries))).rejects.toThrow(says);
  });
});
