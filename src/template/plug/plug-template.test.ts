import { expect, test } from "vitest";
import type { JsonValue } from "#base";
import { Budget, tenantLimits } from "#golang";
import { fc } from "#seeded";
import { PlugData } from "./plug-data.ts";
import { PlugTemplate } from "./plug-template.ts";
import { renderObject } from "./render-object.ts";

const newData = () =>
  new PlugData(
    {
      plug: { metadata: { name: "web", generation: 1_234_567 } },
      plugConfig: { user: "ann", password: "hunter22", port: "5432" },
      socketConfig: { url: "db" },
      list: [1, 2.5, { deep: "secret-deep" }],
    },
    [
      ["plugConfig", "password"],
      ["list", 2, "deep"],
      ["nowhere", "at", "all"],
    ],
  );

function render(text: string) {
  return new PlugTemplate(text, { name: "t", budget: new Budget(tenantLimits) }).render(newData());
}

test.each(["end", "endif"])("X9: an if may be closed by end or endif: %s", (end) => {
  expect(render(`{% if .plugConfig.user %}yes{% else %}no{% ${end} %}`).text).toBe("yes");
});

test.each([
  { end: "endrange", text: "{% range .list %}.{% endrange %}", expected: "..." },
  { end: "endwith", text: "{% with .plugConfig.user %}{% . %}{% endwith %}", expected: "ann" },
  { end: "enddefine", text: '{% define "a" %}A{% enddefine %}{% template "a" %}', expected: "A" },
  { end: "endblock", text: '{% block "b" . %}B{% endblock %}', expected: "B" },
])("X9: every block has an alias of end: $end", ({ text, expected }) => {
  expect(render(text).text).toBe(expected);
});

test("D.1: the braces of Helm, {{ and }}, are plain text in a plug template", () => {
  expect(render("{{ .Values.x }} {% .plugConfig.user %}").text).toBe("{{ .Values.x }} ann");
});

test.each(["env", "expandenv", "getHostByName", "hello"])(
  "D.1: a disabled function is refused by name when a plug template is parsed: %s",
  (name) => {
    expect(() => render(`{% ${name} "HOME" %}`)).toThrow(`function "${name}" is disabled`);
  },
);

test.each(["toYaml", "fromYaml", "include", "tpl", "lookup", "required"])(
  "D.1: plug templates do not have Helm's own functions: %s",
  (name) => {
    expect(() => render(`{% ${name} . %}`)).toThrow(`function "${name}" not defined`);
  },
);

test("C.5: a template of one action renders to nothing when its operand is missing", () => {
  const missing = ["{% .plugConfig.nope %}", "{%- .nope.nope.nope -%}", "{% .plugConfig.nope %}"];
  for (const text of missing) expect(new PlugTemplate(text).renderIfPresent(newData()).text).toBeUndefined();
  expect(new PlugTemplate("{% .plugConfig.user %}").renderIfPresent(newData()).text).toBe("ann");
  expect(new PlugTemplate("").renderIfPresent(newData()).text).toBe("");
});

test("C.5: a missing key inside longer text renders as the empty string", () => {
  expect(new PlugTemplate("<{% .plugConfig.nope %}>").renderIfPresent(newData()).text).toBe("<>");
});

test("C.5: a template never prints <no value>", () => {
  const operands = [".nope", ".nope.nope", ".plugConfig.nope", "(index .plugConfig `x`)", "nil", ".list"];
  const wrappings = [
    "{% X %}",
    "a{% X %}b",
    "{% with $ := X %}{% . %}{% end %}",
    "{% X | default X %}",
    "{% print X %}",
  ];
  const texts = operands.flatMap((operand) => wrappings.map((wrapping) => wrapping.replaceAll("X", operand)));
  expect(texts.map(renderOrComplain).filter((text) => text.includes("no value"))).toEqual([]);
});

function renderOrComplain(text: string): string {
  try {
    return render(text).text;
  } catch (error) {
    return String(error);
  }
}

test("D.1: integers print without an exponent in a plug template", () => {
  expect(render("{% .plug.metadata.generation %} {% index .list 0 %} {% index .list 1 %}").text).toBe("1234567 1 2.5");
});

test.each([
  { reason: "a secret is printed", text: "{% .plugConfig.password %}", isSecret: true },
  { reason: "through a variable", text: "{% $c := .plugConfig %}{% $c.password %}", isSecret: true },
  { reason: "through with", text: "{% with .plugConfig %}{% .password | b64enc %}{% end %}", isSecret: true },
  { reason: "by index", text: '{% index .plugConfig "password" %}', isSecret: true },
  { reason: "only asked whether it is there", text: "{% if .plugConfig.password %}x{% end %}", isSecret: true },
  { reason: "in a map given to a function", text: "{% toJson .plugConfig %}", isSecret: true },
  { reason: "in a map that is printed", text: "{% .plugConfig %}", isSecret: true },
  { reason: "everything is printed", text: "{% . %}", isSecret: true },
  { reason: "in a list that is ranged over", text: "{% range .list %}x{% end %}", isSecret: true },
  { reason: "deep in a list", text: "{% (index .list 2).deep %}", isSecret: true },
  {
    reason: "handed on to another template",
    text: '{% define "a" %}{% .password %}{% end %}{% template "a" .plugConfig %}',
    isSecret: true,
  },
  { reason: "a neighbour in the same map", text: "{% .plugConfig.user %}", isSecret: false },
  { reason: "a neighbour through a variable", text: "{% $c := .plugConfig %}{% $c.user %}", isSecret: false },
  { reason: "another map", text: "{% toJson .socketConfig %}", isSecret: false },
  {
    reason: "handed on, but not read",
    text: '{% define "a" %}{% .user %}{% end %}{% template "a" .plugConfig %}',
    isSecret: false,
  },
  {
    reason: "changed on the way",
    text: '{% $_ := set .plugConfig "x" "y" %}{% .plugConfig.password %}',
    isSecret: true,
  },
])("a rendering reports whether it read a secret: $reason", ({ text, isSecret }) => {
  expect(render(text).isSecret).toBe(isSecret);
});

test.each([
  { text: "{% now %}", isUnstable: true },
  { text: "{% randAlpha 3 %}", isUnstable: true },
  { text: "{% if false %}{% uuidv4 %}{% end %}x", isUnstable: false },
  { text: "{% upper `a` %}", isUnstable: false },
])("D.1: random functions and the clock mark a rendering as unstable: $text", ({ text, isUnstable }) => {
  expect(render(text).isUnstable).toBe(isUnstable);
});

test("a template that changes its data changes it for no other template", () => {
  expect(render('{% $_ := set .plugConfig "user" "eve" %}{% .plugConfig.user %}').text).toBe("eve");
  expect(render("{% .plugConfig.user %}").text).toBe("ann");
});

test("D.2: a value cannot change the structure of an object template", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (value, key) => {
      const hostile = new PlugData({ value: value.toWellFormed(), key });
      const template = {
        kind: "ConfigMap",
        data: { "k{% .key %}": "{% .value %}", list: ["{% .value %}", 1, null, true] },
      };
      const { object } = renderObject(template, hostile, { budget: new Budget(tenantLimits) });
      expect(object).toEqual({
        kind: "ConfigMap",
        data: { [`k${key}`]: value.toWellFormed(), list: [value.toWellFormed(), 1, null, true] },
      });
    }),
  );
});

test("D.2: both styles of quotes work inside the actions of an object", () => {
  const template = { a: '{% default "x" .nope %}', b: "{% default `y` .nope %}" };
  expect(renderObject(template, newData()).object).toEqual({ a: "x", b: "y" });
});

test("D.2: two keys that render to the same text are an error with the field", () => {
  const template = { data: { "{% .plugConfig.user %}": "1", ann: "2" } };
  expect(() => renderObject(template, newData(), { name: "Plug app/web spec.resources[0].template" })).toThrow(
    expect.objectContaining({ where: "Plug app/web spec.resources[0].template.data.ann" }),
  );
});

test("an object is secret and unstable as soon as one of its strings is", () => {
  expect(renderObject({ a: ["x", "{% .plugConfig.password %}"], b: "{% now %}" }, newData())).toMatchObject({
    isSecret: true,
    isUnstable: true,
  });
  expect(renderObject({ a: "{% .plugConfig.user %}" }, newData())).toMatchObject({
    isSecret: false,
    isUnstable: false,
  });
});

test("an error names the object and the field", () => {
  const template = { spec: { list: [{ "a.b": "{% .x | nope %}" }] } };
  const name = "Socket db/main spec.resources[0].template";
  expect(() => renderObject(template, newData(), { name })).toThrow(
    `${name}.spec.list[0].a.b:1: function "nope" not defined`,
  );
});

test("__proto__ and constructor are ordinary keys of an object", () => {
  const template: Record<string, JsonValue> = JSON.parse('{"__proto__": "{% .plugConfig.user %}", "constructor": "x"}');
  const { object } = renderObject(template, newData());
  expect(JSON.stringify(object)).toBe('{"__proto__":"ann","constructor":"x"}');
  expect(render("{% .constructor %}{% .plugConfig.__proto__ %}{% .plugConfig.toString %}").text).toBe("");
});

test.each(["constructor", "__proto__", "toString", "hasOwnProperty", "prototype", "valueOf"])(
  "a template cannot reach %s of JavaScript's objects",
  (name) => {
    const reads = [
      `.${name}`,
      `.plugConfig.${name}`,
      `index . "${name}"`,
      `(dict).${name}`,
      `hasKey . "${name}"`,
      `pluck "${name}" .`,
    ];
    const texts = [...reads, `.plugConfig.user.${name}`, `.list.${name}`, `call .${name}`].map(
      (read) => `{% if ${read} %}reached{% end %}`,
    );
    expect(texts.map(renderOrComplain).filter((text) => text === "reached")).toEqual([]);
  },
);

test("a lone surrogate in the data becomes U+FFFD, as in Go's decoder", () => {
  const broken = new PlugData({ text: "a\udc80b", list: ["\ud800"], map: { "k\udfff": 1 } });
  const { text } = new PlugTemplate("{% .text %} {% len .text %} {% .list %} {% .map %}").render(broken);
  expect(text).toBe("a\ufffdb 5 [\ufffd] map[k\ufffd:1]");
});

test.each([
  {
    reason: "work",
    template: "{% range $i := 20000 %}{% end %}",
    problem: "take more than 2000000 steps",
    where: "k100",
  },
  {
    reason: "output",
    template: '{% repeat 1000000 "x" %}',
    problem: "write more than 8388608 characters",
    where: "k9",
  },
])("templates of one attempt share a limit, and the first one beyond it is named: $reason", (row) => {
  const shared = new PlugData({});
  const renderAll = (): void => {
    for (let index = 0; index < 600; index += 1) {
      const options = { name: `k${index}`, budget: new Budget(tenantLimits) };
      new PlugTemplate(row.template, options).render(shared);
    }
  };
  expect(renderAll).toThrow(
    expect.objectContaining({
      what: `the templates before this one already ${row.problem}`,
      where: row.where,
      next: "write fewer or simpler templates",
    }),
  );
});

test("a variable that an operand declares is declared once", () => {
  expect(render('{% ($x := dict "b" "c").b %}{% $x.b %}').text).toBe("cc");
});
