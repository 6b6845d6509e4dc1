import { expect, test } from "vitest";
import { environmentProxy } from "./environment-proxy.ts";

const proxied = "http://proxy:3128/";
const rows = [
  { reason: "nothing is set", server: "https://k.example", env: {}, proxy: undefined },
  { reason: "HTTPS_PROXY", server: "https://k.example", env: { HTTPS_PROXY: "http://proxy:3128" }, proxy: proxied },
  {
    reason: "in lower case, without scheme",
    server: "https://k.example",
    env: { https_proxy: "proxy:3128" },
    proxy: proxied,
  },
  {
    reason: "HTTP_PROXY is for http",
    server: "https://k.example",
    env: { HTTP_PROXY: "http://proxy:3128" },
    proxy: undefined,
  },
  {
    reason: "an exempt domain",
    server: "https://a.k.example",
    env: { HTTPS_PROXY: "proxy:3128", NO_PROXY: "x,k.example" },
    proxy: undefined,
  },
  {
    reason: "a domain's own name, not exempt with a dot",
    server: "https://k.example",
    env: { HTTPS_PROXY: "proxy:3128", NO_PROXY: ".k.example" },
    proxy: proxied,
  },
  {
    reason: "a part of a name is not a domain",
    server: "https://nok.example",
    env: { HTTPS_PROXY: "proxy:3128", NO_PROXY: "k.example" },
    proxy: proxied,
  },
  {
    reason: "an exempt port",
    server: "https://k.example:6443",
    env: { HTTPS_PROXY: "proxy:3128", NO_PROXY: "k.example:6443" },
    proxy: undefined,
  },
  {
    reason: "another port",
    server: "https://k.example:6444",
    env: { HTTPS_PROXY: "proxy:3128", NO_PROXY: "k.example:6443" },
    proxy: proxied,
  },
  {
    reason: "an exempt network",
    server: "https://10.1.2.3",
    env: { HTTPS_PROXY: "proxy:3128", NO_PROXY: "10.0.0.0/8" },
    proxy: undefined,
  },
  {
    reason: "an exempt network of IPv6",
    server: "https://[fd00::1]",
    env: { HTTPS_PROXY: "proxy:3128", NO_PROXY: "fd00::/8" },
    proxy: undefined,
  },
  {
    reason: "another network",
    server: "https://11.1.2.3",
    env: { HTTPS_PROXY: "proxy:3128", NO_PROXY: "10.0.0.0/8,10.0.0.0/99" },
    proxy: proxied,
  },
  {
    reason: "an exempt address",
    server: "https://10.1.2.3",
    env: { HTTPS_PROXY: "proxy:3128", NO_PROXY: "10.1.2.3" },
    proxy: undefined,
  },
  {
    reason: "all exempt",
    server: "https://k.example",
    env: { HTTPS_PROXY: "proxy:3128", NO_PROXY: "*" },
    proxy: undefined,
  },
  { reason: "this machine", server: "https://127.0.0.1:6443", env: { HTTPS_PROXY: "proxy:3128" }, proxy: undefined },
  {
    reason: "this machine by name",
    server: "https://localhost:6443",
    env: { HTTPS_PROXY: "proxy:3128" },
    proxy: undefined,
  },
];

test.each(rows)("$reason", ({ server, env, proxy }) => {
  expect(environmentProxy(new URL(server), env)?.href).toBe(proxy);
});
