/** What sigs.k8s.io/yaml 1.6.0 refuses, and how it says so. Recorded from Go. */
export interface RefusedCase {
  readonly reason: string;
  readonly text: string;
  readonly error: string;
}

export const refusedCases: readonly RefusedCase[] = [
  { reason: "two values", text: "a: b: c\n", error: "yaml: mapping values are not allowed in this context" },
  {
    reason: "template left in",
    text: "a: {{ .x }}\n",
    error: 'yaml: invalid map key: map[interface {}]interface {}{".x":interface {}(nil)}',
  },
  { reason: "wrong indentation", text: "a:\n  b: 1\n c: 2\n", error: "yaml: line 2: did not find expected key" },
  { reason: "list item out of line", text: "a:\n  - b\n - c\n", error: "yaml: line 2: did not find expected key" },
  {
    reason: "list behind a key",
    text: "a: - b\n",
    error: "yaml: block sequence entries are not allowed in this context",
  },
  {
    reason: "tab as indentation",
    text: "a:\n\tb: 1\n",
    error: "yaml: line 2: found character that cannot start any token",
  },
  {
    reason: "tab in a plain scalar's indentation",
    text: "a: b\n\tc\n",
    error: "yaml: line 2: found a tab character that violates indentation",
  },
  {
    reason: "tab in a literal's indentation",
    text: "a: |\n\tx\n",
    error: "yaml: line 2: found a tab character where an indentation space is expected",
  },
  { reason: "quote not closed", text: "a: 'b\n", error: "yaml: line 2: found unexpected end of stream" },
  { reason: "double quote not closed", text: 'a: "b\n', error: "yaml: line 2: found unexpected end of stream" },
  {
    reason: "document marker in quotes",
    text: 'a: "b\n---\nc"\n',
    error: "yaml: line 2: found unexpected document indicator",
  },
  { reason: "bracket not closed", text: "a: [b\n", error: "yaml: line 1: did not find expected ',' or ']'" },
  { reason: "brace not closed", text: "a: {b: 1\n", error: "yaml: line 1: did not find expected ',' or '}'" },
  { reason: "comma missing", text: "[a b: c d: e]\n", error: "yaml: did not find expected ',' or ']'" },
  { reason: "wrong bracket", text: "a: [b}\n", error: "yaml: did not find expected ',' or ']'" },
  { reason: "key without a colon", text: "a: 1\nb\n", error: "yaml: line 3: could not find expected ':'" },
  { reason: "text behind a quoted value", text: 'a: "b" c\n', error: "yaml: did not find expected key" },
  { reason: "at sign", text: "a: @b\n", error: "yaml: found character that cannot start any token" },
  { reason: "backquote", text: "a: `b`\n", error: "yaml: found character that cannot start any token" },
  { reason: "percent sign", text: "a: %b\n", error: "yaml: found character that cannot start any token" },
  { reason: "unknown escape", text: 'a: "\\q"\n', error: "yaml: found unknown escape character" },
  { reason: "JSON's escaped slash", text: 'a: "\\/"\n', error: "yaml: found unknown escape character" },
  { reason: "half a character", text: '"\\ud800"', error: "yaml: found invalid Unicode character escape code" },
  { reason: "bad hexadecimal", text: '"\\xzz"', error: "yaml: did not find expected hexdecimal number" },
  { reason: "alias without an anchor", text: "a: *b\n", error: "yaml: unknown anchor 'b' referenced" },
  {
    reason: "anchor without a name",
    text: "a: & b\n",
    error: "yaml: did not find expected alphabetic or numeric character",
  },
  {
    reason: "anchor with a strange name",
    text: "a: &\u00e9 b\n",
    error: "yaml: did not find expected alphabetic or numeric character",
  },
  { reason: "alias that contains itself", text: "a: &x [*x]\n", error: "yaml: anchor 'x' value contains itself" },
  { reason: "%YAML 1.2", text: "%YAML 1.2\n---\na: 1\n", error: "yaml: found incompatible YAML document" },
  { reason: "unknown directive", text: "%FOO\n---\na\n", error: "yaml: found unknown directive name" },
  {
    reason: "directive without a document",
    text: "%YAML 1.1\na: 1\n",
    error: "yaml: line 1: did not find expected <document start>",
  },
  { reason: "undeclared handle", text: "!e!x 1\n", error: "yaml: found undefined tag handle" },
  { reason: "no integer", text: "!!int x\n", error: "yaml: cannot decode !!str `x` as a !!int" },
  { reason: "no float", text: "!!float x\n", error: "yaml: cannot decode !!str `x` as a !!float" },
  { reason: "no null", text: "!!null x\n", error: "yaml: cannot decode !!str `x` as a !!null" },
  { reason: "no bool", text: "!!bool 1\n", error: "yaml: cannot decode !!int `1` as a !!bool" },
  { reason: "no base64", text: '!!binary "*"\n', error: "yaml: !!binary value contains invalid base64 data" },
  { reason: "infinity", text: "a: .inf\n", error: "json: unsupported value: +Inf" },
  { reason: "not a number", text: "a: .nan\n", error: "json: unsupported value: NaN" },
  { reason: "minus infinity", text: "a: -.INF\n", error: "json: unsupported value: -Inf" },
  { reason: "null as a key", text: "~: 1\n", error: "unsupported map key of type: %!s(<nil>), key: <nil>, value: 1" },
  { reason: "no key at all", text: ": 1\n", error: "yaml: did not find expected key" },
  { reason: "a list as a key", text: "? [a]\n: 1\n", error: 'yaml: invalid map key: []interface {}{"a"}' },
  {
    reason: "a map as a key",
    text: "? {a: 1}\n: 2\n",
    error: 'yaml: invalid map key: map[interface {}]interface {}{"a":1}',
  },
  {
    reason: "an integer too large for a key",
    text: "18446744073709551615: 1\n",
    error: "unsupported map key of type: uint64, key: 0xffffffffffffffff, value: 1",
  },
  {
    reason: "merge of a scalar",
    text: "<<: 1\n",
    error: "yaml: map merge requires map or sequence of maps as the value",
  },
  {
    reason: "merge of an alias of a list",
    text: "a: &x [{b: 1}]\nc:\n  <<: *x\n",
    error: "yaml: map merge requires map or sequence of maps as the value",
  },
  {
    reason: "merge of what would have no meaning itself",
    text: "<<: !!int x\n",
    error: "yaml: map merge requires map or sequence of maps as the value",
  },
  {
    reason: "null as a key, shown with the types of other keys",
    text: "~: {1: a, yes: b, c: 1.0}\n",
    error:
      'unsupported map key of type: %!s(<nil>), key: <nil>, value: map[interface {}]interface {}{"c":1, 1:"a", true:"b"}',
  },
  {
    reason: "null as a key is found before what JSON cannot say",
    text: "b: .inf\n~: 1\n",
    error: "unsupported map key of type: %!s(<nil>), key: <nil>, value: 1",
  },
  {
    reason: "a map with a null key as a key",
    text: "? {~: 1}\n: 2\n",
    error: "yaml: invalid map key: map[interface {}]interface {}{interface {}(nil):1}",
  },
  {
    reason: "nothing to scan behind a tag's unknown handle",
    text: 'a: !e!x "\n',
    error: "yaml: line 2: found unexpected end of stream",
  },
  { reason: "indentation indicator 0", text: "a: |0\n  x\n", error: "yaml: found an indentation indicator equal to 0" },
  {
    reason: "text behind a block indicator",
    text: "a: | x\n",
    error: "yaml: did not find expected comment or line break",
  },
  { reason: "control character", text: "a: \u0007\n", error: "yaml: control characters are not allowed" },
  { reason: "delete character", text: "a: \u007f\n", error: "yaml: control characters are not allowed" },
  { reason: "zero byte", text: "a: \u0000\n", error: "yaml: control characters are not allowed" },
  { reason: "value only", text: "- a\n: b\n", error: "yaml: line 1: did not find expected '-' indicator" },
  { reason: "end of text in a flow map", text: "{a: ", error: "yaml: line 1: did not find expected node content" },
  { reason: "flow map closed twice", text: "a: {b: 1}}\n", error: "yaml: did not find expected key" },
  { reason: "block scalar in flow", text: "[|\n a]\n", error: "yaml: found character that cannot start any token" },
  { reason: "a dash in flow", text: "[- a]\n", error: "yaml: did not find expected node content" },
  {
    reason: "a key of more than 1024 characters",
    text: `a: 1\n${"x".repeat(1025)}: 1\n`,
    error: "yaml: line 2: could not find expected ':'",
  },
  {
    reason: "tab behind a literal's indentation",
    text: "a: |\n  \tx\n",
    error: "yaml: line 2: found a tab character where an indentation space is expected",
  },
  { reason: "key over two lines", text: '{"a\n b": 1}\n', error: "yaml: line 1: did not find expected ',' or '}'" },
  { reason: "document end inside flow", text: "[a,\n...\n", error: "yaml: line 1: did not find expected node content" },
];

/** Keys that come twice, where they are not allowed to. */
export const duplicateCases: readonly RefusedCase[] = [
  {
    reason: "twice",
    text: "a: 1\nb: 2\na: 3\n",
    error: 'yaml: unmarshal errors:\n  line 3: key "a" already set in map',
  },
  {
    reason: "twice in flow",
    text: "{a: 1, a: 2}\n",
    error: 'yaml: unmarshal errors:\n  line 1: key "a" already set in map',
  },
  {
    reason: "through a merge",
    text: "a: &x {k: 1}\nb:\n  <<: *x\n  k: 2\n",
    error: 'yaml: unmarshal errors:\n  line 4: key "k" already set in map',
  },
  {
    reason: "twice, two maps",
    text: "a: {x: 1, x: 2}\nb:\n- y: 1\n  y: 2\n",
    error: 'yaml: unmarshal errors:\n  line 1: key "x" already set in map\n  line 4: key true already set in map',
  },
];
