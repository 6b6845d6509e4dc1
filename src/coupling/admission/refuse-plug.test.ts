import { expect, test } from "vitest";
import { samplePair } from "../kinds/sample-pair.fixture.ts";
import { type AdmissionContext, examineSocket, refusePlug } from "./refuse-plug.ts";

const alone: AdmissionContext = { namespaceLabels: { team: "a" }, otherPlugs: 0 };

function refuse(
  plugSpec: object,
  socketSpec: object,
  circumstances: Partial<AdmissionContext> = {},
  namespace = "app",
) {
  const { plug, socket } = samplePair(plugSpec, socketSpec);
  const moved = { ...plug, metadata: { ...plug.metadata, namespace } };
  return refusePlug(moved, socket, { ...alone, ...circumstances });
}

const lists = (namespaceWhitelist?: string[], namespaceBlacklist?: string[]) => ({
  validation: {
    ...(namespaceWhitelist ? { namespaceWhitelist } : {}),
    ...(namespaceBlacklist ? { namespaceBlacklist } : {}),
  },
});

test.each([
  { namespace: "prod", socket: lists(["prod"]), says: "admitted", reason: "the whole name matches" },
  {
    namespace: "nonprod",
    socket: lists(["prod"]),
    says: "namespace nonprod is not whitelisted",
    reason: "a part of the name is not enough",
  },
  {
    namespace: "app",
    socket: lists([".*"], ["app"]),
    says: "namespace app is blacklisted",
    reason: "the blacklist comes first",
  },
  { namespace: "apple", socket: lists([".*"], ["app"]), says: "admitted", reason: "it binds whole names, too" },
  { namespace: "app", socket: lists([]), says: "admitted", reason: "an empty whitelist is none" },
  {
    namespace: "app",
    socket: lists(["("]),
    says: /admits no plug until .*missing closing \)/,
    reason: "it fails closed",
  },
  {
    namespace: "app",
    socket: lists(["app", "("]),
    says: /admits no plug/,
    reason: "also where another expression matches",
  },
  {
    namespace: "app",
    socket: lists(undefined, ["("]),
    says: /admits no plug/,
    reason: "an invalid blacklist admits no plug",
  },
  { namespace: "app", socket: lists(["(?=app)"]), says: /admits no plug/, reason: "no expression of RE2" },
])("H72: the lists of a socket admit or reject a namespace: $namespace, $reason", ({ namespace, socket, says }) => {
  const { reason, message } = refuse({}, socket, {}, namespace) ?? { reason: undefined, message: "admitted" };
  expect(message).toMatch(says);
  expect(reason).toBe(says === "admitted" ? undefined : "NamespaceNotAllowed");
});

test.each([
  { limit: 2, otherPlugs: 1, isRefused: false },
  { limit: 2, otherPlugs: 2, isRefused: true },
  { limit: 2, otherPlugs: 3, isRefused: true },
  { limit: 0, otherPlugs: 9, isRefused: false },
])(
  "H71: a socket refuses a plug when other plugs have reached its limit: $limit, $otherPlugs, $isRefused",
  ({ limit, otherPlugs, isRefused }) => {
    expect(refuse({}, { limit }, { otherPlugs })?.reason).toBe(isRefused ? "LimitReached" : undefined);
  },
);

test("X20: a socket without a limit takes any number of plugs", () => {
  expect(refuse({}, {}, { otherPlugs: 100_000 })).toBeUndefined();
});

test.each([
  { wanted: "mongo", offered: "postgres", isRefused: true, reason: "a mongo plug and a postgres socket" },
  { wanted: "mongo", offered: "mongo", isRefused: false, reason: "they fit" },
  { wanted: undefined, offered: "mongo", isRefused: false, reason: "the plug does not say" },
  { wanted: "mongo", offered: undefined, isRefused: false, reason: "the socket does not say" },
  { wanted: "", offered: "mongo", isRefused: false, reason: "an empty name is none" },
])("X24: plug and socket are compared by the names of their interfaces: $reason", ({ wanted, offered, isRefused }) => {
  const refusal = refuse(
    wanted === undefined ? {} : { interfaceName: wanted },
    offered === undefined ? {} : { interface: { name: offered } },
  );
  expect(refusal?.reason).toBe(isRefused ? "InterfaceMismatch" : undefined);
});

const Selector = (selector: object) => ({ namespaces: "Selector", selector });
const expression = (operator: string, values?: string[]) => ({
  matchExpressions: [{ key: "team", operator, ...(values ? { values } : {}) }],
});

test.each([
  { allowedPlugs: {}, isAllowed: true, reason: "nothing is asked" },
  { allowedPlugs: { namespaces: "All" }, isAllowed: true, reason: "all" },
  { allowedPlugs: { namespaces: "Same" }, isAllowed: false, reason: "another namespace" },
  { allowedPlugs: { namespaces: "Same" }, namespace: "prov", isAllowed: true, reason: "the same namespace" },
  { allowedPlugs: Selector({}), isAllowed: true, reason: "a selector that asks nothing" },
  { allowedPlugs: Selector({ matchLabels: { team: "a" } }), isAllowed: true, reason: "the label" },
  { allowedPlugs: Selector({ matchLabels: { team: "b" } }), isAllowed: false, reason: "another label" },
  { allowedPlugs: Selector({ matchLabels: { toString: "b" } }), isAllowed: false, reason: "no such label" },
  { allowedPlugs: Selector(expression("In", ["a", "b"])), isAllowed: true, reason: "one of them" },
  { allowedPlugs: Selector(expression("NotIn", ["a", "b"])), isAllowed: false, reason: "one of those it must not be" },
  { allowedPlugs: Selector(expression("Exists")), isAllowed: true, reason: "it is there" },
  { allowedPlugs: Selector(expression("DoesNotExist")), isAllowed: false, reason: "it should not be" },
  { allowedPlugs: { serviceAccounts: ["web"] }, isAllowed: true, reason: "the account of any namespace" },
  { allowedPlugs: { serviceAccounts: ["app/web"] }, isAllowed: true, reason: "the account of this namespace" },
  { allowedPlugs: { serviceAccounts: ["other/web"] }, isAllowed: false, reason: "the account of another namespace" },
  { allowedPlugs: { serviceAccounts: [] }, isAllowed: false, reason: "no account" },
  {
    allowedPlugs: { namespaces: "Same", serviceAccounts: ["web"] },
    isAllowed: false,
    reason: "the account alone is not enough",
  },
])("allowedPlugs: $reason", ({ allowedPlugs, namespace = "app", isAllowed }) => {
  const refusal = refuse({ serviceAccountName: "web" }, { allowedPlugs }, {}, namespace);
  expect(refusal?.reason).toBe(isAllowed ? undefined : "NamespaceNotAllowed");
});

test("a plug that a full socket does not admit gets that reason, and not LimitReached", () => {
  const socket = { limit: 1, ...lists(["prod"]) };
  expect(refuse({}, socket, { otherPlugs: 1 })?.reason).toBe("NamespaceNotAllowed");
});

test("H72: a socket's warnings name every invalid expression, and every default that its schema does not allow", () => {
  const { socket } = samplePair(
    {},
    {
      ...lists(["ok", "("], ["["]),
      interface: {
        config: { plug: { port: { type: "integer", default: "x" }, "a.b": { pattern: "*" }, fine: { default: "y" } } },
        result: { socket: { nothing: null } },
      },
    },
  );
  const problem = examineSocket(socket);
  expect(problem?.where).toBe("Socket prov/s");
  expect(problem?.what.split("; ")).toEqual([
    "spec.interface.config.plug.port.default is not an integer",
    expect.stringContaining('spec.interface.config.plug["a.b"].pattern: '),
    expect.stringContaining("spec.validation.namespaceBlacklist[0]: "),
    expect.stringContaining("spec.validation.namespaceWhitelist[1]: "),
  ]);
  expect(examineSocket(samplePair({}, lists(["ok"])).socket)).toBeUndefined();
});

test.each([
  { selector: expression("DoesNotExist"), reason: "it asks for the absence of a label" },
  { selector: expression("NotIn", ["a"]), reason: "it asks for another value" },
  { selector: {}, reason: "it asks for nothing" },
])("a selector does not match a namespace whose labels are unknown: $reason", ({ selector }) => {
  const refusal = refuse({}, { allowedPlugs: Selector(selector) }, { namespaceLabels: undefined });
  expect(refusal).toMatchObject({ reason: "NamespaceNotAllowed" });
});
