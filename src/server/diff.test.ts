import { describe, expect, test } from "vitest";
import { createMetrics, silentLogger } from "#base";
import { FakeClock } from "../base/fake-clock.fixture.ts";
import { createDataApp } from "./data-app.ts";
import { DataMetrics } from "./data-metrics.ts";
import { DataStore } from "./data-store.ts";
import { appBundle, FakeBundleSource } from "./data-server.fixture.ts";

const base = appBundle({
  data: { "/same.yml": { name: "same" }, "/old.yml": { name: "old" }, "/teams/a/b.yml": { name: "before" } },
  resources: { "/same.sh": "same", "/old.sh": "old", "/dir/changed.sh": "before" },
});
const head = appBundle({
  data: { "/same.yml": { name: "same" }, "/new.yml": { name: "new" }, "/teams/a/b.yml": { name: "after" } },
  resources: { "/same.sh": "same", "/new.sh": "new", "/dir/changed.sh": "after" },
});
const metrics = createMetrics();
const { signal } = new AbortController();
const store = await DataStore.open(
  {
    initial: [new FakeBundleSource(base)],
    source: new FakeBundleSource(head),
    ttlMs: 1_000,
    clock: new FakeClock(),
    log: silentLogger,
    metrics: new DataMetrics(metrics),
  },
  signal,
);
await store.reload(signal);
const app = createDataApp({ store, metrics, log: silentLogger, signal });
const pair = `/diff/${base.identity}/${head.identity}`;

const file = (path: string, name: string) => expect.objectContaining({ $schema: "/app-1.yml", path, name });
const resource = (path: string, content: string) =>
  expect.objectContaining({ path, content, sha256sum: `sha256 of ${content}`, $schema: null });
const changedFile = {
  datafilepath: "/teams/a/b.yml",
  datafileschema: "/app-1.yml",
  old: file("/teams/a/b.yml", "before"),
  new: file("/teams/a/b.yml", "after"),
};
const changedResource = {
  resourcepath: "/dir/changed.sh",
  old: resource("/dir/changed.sh", "before"),
  new: resource("/dir/changed.sh", "after"),
};

describe("G9-10: the server answers with the diff of two bundles or of one file, with 404 for unknown ones, and with 400 for a wrong file type", () => {
  test("/diff lists exactly the files that were added, removed or changed", async () => {
    const response = await app.request(pair);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      datafiles: {
        "/old.yml": { datafilepath: "/old.yml", datafileschema: "/app-1.yml", old: file("/old.yml", "old") },
        "/new.yml": { datafilepath: "/new.yml", datafileschema: "/app-1.yml", new: file("/new.yml", "new") },
        "/teams/a/b.yml": changedFile,
      },
      resources: {
        "/old.sh": { resourcepath: "/old.sh", old: resource("/old.sh", "old") },
        "/new.sh": { resourcepath: "/new.sh", new: resource("/new.sh", "new") },
        "/dir/changed.sh": changedResource,
      },
    });
  });

  test("/diff of a bundle and itself is empty", async () => {
    expect(await (await app.request(`/diff/${base.identity}/${base.identity}`)).json()).toEqual({
      datafiles: {},
      resources: {},
    });
  });

  test.each([
    { path: `${pair}/datafile/teams/a/b.yml`, json: changedFile, reason: "a path of several segments" },
    { path: `${pair}/datafile/teams%2Fa%2Fb.yml`, json: changedFile, reason: "the same, escaped" },
    { path: `${pair}/resourcefile/dir/changed.sh`, json: changedResource, reason: "a resource" },
    {
      path: `${pair}/datafile/same.yml`,
      json: {
        datafilepath: "/same.yml",
        datafileschema: "/app-1.yml",
        old: file("/same.yml", "same"),
        new: file("/same.yml", "same"),
      },
      reason: "a file that did not change",
    },
    {
      path: `${pair}/resourcefile/new.sh`,
      json: { resourcepath: "/new.sh", new: resource("/new.sh", "new") },
      reason: "only in one",
    },
  ])("$path: $reason", async ({ path, json }) => {
    const response = await app.request(path);
    expect({ status: response.status, json: await response.json() }).toEqual({ status: 200, json });
  });

  test.each([
    { path: `/diff/unknown/${head.identity}`, status: 404, says: "Bundle unknown not found" },
    { path: `/diff/${base.identity}/unknown`, status: 404, says: "Bundle unknown not found" },
    { path: `/diff/unknown/${head.identity}/datafile/same.yml`, status: 404, says: "Bundle unknown not found" },
    { path: `${pair}/datafile/gone.yml`, status: 404, says: "datafile not found" },
    { path: `${pair}/resourcefile/gone.sh`, status: 404, says: "resourcefile not found" },
    { path: `${pair}/datafile`, status: 404, says: "datafile not found" },
    { path: `${pair}/picture/same.yml`, status: 400, says: "unknown filetype picture" },
  ])("$path is $status", async ({ path, status, says }) => {
    const response = await app.request(path);
    expect({ status: response.status, text: await response.text() }).toEqual({ status, text: says });
  });
});
