import { expect, test } from "vitest";
import { parseChallenges } from "./auth-challenge.ts";

test.for([
  {
    header: 'Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:a/b:pull,push"',
    challenges: [
      {
        scheme: "bearer",
        parameters: {
          realm: "https://auth.docker.io/token",
          service: "registry.docker.io",
          scope: "repository:a/b:pull,push",
        },
      },
    ],
    reason: "commas inside quotes belong to the value",
  },
  {
    header: 'Basic realm="a \\"quoted\\" name", Bearer realm=https://x/t , service=y',
    challenges: [
      { scheme: "basic", parameters: { realm: 'a "quoted" name' } },
      { scheme: "bearer", parameters: { realm: "https://x/t", service: "y" } },
    ],
    reason: "two challenges in one header",
  },
  { header: "Negotiate", challenges: [{ scheme: "negotiate", parameters: {} }], reason: "no parameters" },
  {
    header: "Negotiate, BASIC Realm=x",
    challenges: [
      { scheme: "negotiate", parameters: {} },
      { scheme: "basic", parameters: { realm: "x" } },
    ],
    reason: "names are not case-sensitive",
  },
  { header: "", challenges: [], reason: "nothing" },
  { header: '"', challenges: [], reason: "what cannot be read is left out" },
])("$header: $reason", ({ header, challenges }) => {
  expect(parseChallenges(header)).toEqual(challenges);
});
