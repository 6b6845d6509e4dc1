import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadChart } from "./load-chart.ts";
import { archiveOf } from "./chart-archive.fixture.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tenon-chart-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const files = {
  "Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\nappVersion: 1.10\n",
  "values.yaml": "a: 1\n",
  "templates/a.yaml": "a: {{ .Values.a }}",
  "templates/nested/_b.tpl": "b",
  "crds/c.yaml": "kind: X",
  "README.md": "read me",
  "charts/sub/Chart.yaml": "name: sub\nversion: 0.1.0\n",
  "charts/sub/templates/s.yaml": "s: 1",
};

describe("loadChart", () => {
  test("loadChart gives the same chart from a folder and from an archive", () => {
    write(files);
    const entries = Object.entries(files).map(([name, text]) => ({ name: `c/${name}`, text }));
    writeFileSync(join(folder, "..", "chart.tgz"), archiveOf(entries));
    const [fromFolder, fromArchive] = [loadChart(folder), loadChart(join(folder, "..", "chart.tgz"))];
    rmSync(join(folder, "..", "chart.tgz"));
    expect(fromFolder.metadata).toEqual(fromArchive.metadata);
    expect(fromFolder.metadata).toMatchObject({ name: "c", appVersion: "1.1", apiVersion: "v2" });
    expect(fromFolder.values).toEqual({ a: 1 });
    for (const chart of [fromFolder, fromArchive]) {
      expect(chart.templates.map(({ name }) => name)).toEqual(["templates/a.yaml", "templates/nested/_b.tpl"]);
      expect(chart.files.map(({ name }) => name).toSorted()).toEqual(["README.md", "crds/c.yaml"]);
      expect(chart.dependencies.map(({ metadata }) => [metadata.name, metadata.apiVersion])).toEqual([["sub", "v1"]]);
    }
  });

  test("loadChart reads packed subcharts, and the subcharts packed in them", () => {
    const leaf = archiveOf([{ name: "leaf/Chart.yaml", text: "name: leaf\nversion: 1.0.0" }]);
    const middle = archiveOf([
      { name: "middle/Chart.yaml", text: "name: middle\nversion: 1.0.0" },
      { name: "middle/charts/leaf.tgz", text: leaf },
    ]);
    write({ "Chart.yaml": files["Chart.yaml"], "charts/middle-1.0.0.tgz": middle });
    const [loaded] = loadChart(folder).dependencies;
    expect(loaded?.dependencies[0]?.metadata.name).toBe("leaf");
  });

  test("loadChart follows symbolic links, as Helm does, and refuses those that form a circle", () => {
    write({ "Chart.yaml": files["Chart.yaml"], "real/a.yaml": "a: 1" });
    symlinkSync("real", join(folder, "templates"));
    expect(loadChart(folder).templates.map(({ name }) => name)).toEqual(["templates/a.yaml"]);
    symlinkSync("..", join(folder, "real", "again"));
    expect(() => loadChart(folder)).toThrow("leads to a folder that contains it");
  });

  test.each([
    { reason: "a path that does not exist", add: {}, path: "nope", said: "chart not found" },
    { reason: "a folder without a chart", add: { "a.txt": "" }, said: "Chart.yaml not found" },
    {
      reason: "a values file instead of a chart",
      add: { "v.yaml": "a: 1" },
      path: "v.yaml",
      said: "v.yaml: not a chart archive",
    },
    { reason: "YAML that cannot be read", add: { "Chart.yaml": "name: [" }, said: /Chart\.yaml:1:7: .*`name: \[`/ },
    {
      reason: "a field of the wrong type",
      add: { "Chart.yaml": "version: 1\nname: {}" },
      said: "Chart.yaml:2:1: name must be text",
    },
    { reason: "no version", add: { "Chart.yaml": "name: c" }, said: "Chart.yaml: version is missing; write version" },
    { reason: "no name", add: { "Chart.yaml": "version: 1.0.0" }, said: "Chart.yaml: name is missing" },
    {
      reason: "a bad version",
      add: { "Chart.yaml": "name: c\nversion: one" },
      said: '"one" is not a valid version; write it like 1.2.3',
    },
    {
      reason: "a bad type",
      add: { "Chart.yaml": "name: c\nversion: 1\ntype: x" },
      said: '"x" is not a valid chart type',
    },
    {
      reason: "values that are a list",
      add: { "Chart.yaml": files["Chart.yaml"], "values.yaml": "[1]" },
      said: "values.yaml: must be a map of values",
    },
    {
      reason: "a bad subchart",
      add: { "Chart.yaml": files["Chart.yaml"], "charts/s/Chart.yaml": "name: s" },
      said: /charts\/s\/Chart\.yaml: version is missing/,
    },
    {
      reason: "a bad packed subchart",
      add: { "Chart.yaml": files["Chart.yaml"], "charts/s.tgz": "no" },
      said: /charts\/s\.tgz: not a chart archive/,
    },
    {
      reason: "a link to nothing",
      add: { "Chart.yaml": files["Chart.yaml"] },
      link: "gone",
      said: "the target of the symbolic link does not exist",
    },
  ])("loadChart reports the file and the reason: $reason", ({ add, path = ".", link, said }) => {
    write(add);
    if (link) symlinkSync(link, join(folder, "a-link"));
    expect(() => loadChart(join(folder, path))).toThrow(said);
  });
});
