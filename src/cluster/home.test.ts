import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clusterHome } from "./home.ts";

test.each([
  {
    reason: "the user said where",
    env: { XDG_CACHE_HOME: "/c", XDG_DATA_HOME: "/d" },
    home: { cache: "/c/tenon/cluster", data: "/d/tenon/clusters" },
  },
  {
    reason: "an empty variable counts as unset",
    env: { XDG_CACHE_HOME: "", XDG_DATA_HOME: "" },
    home: {
      cache: join(homedir(), ".cache/tenon/cluster"),
      data: join(homedir(), ".local/share/tenon/clusters"),
    },
  },
])("directories of cache and data: $reason", ({ env, home }) => {
  expect(clusterHome(env)).toEqual(home);
});
