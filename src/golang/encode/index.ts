export { type DecodedJson, decodeJson } from "./decode-json.ts";
export { EncodingError } from "./encoding-error.ts";
export { fromJson, fromJsonArray, fromYaml, fromYamlArray } from "./from-text.ts";
export { fromToml } from "./from-toml.ts";
export { encodeJson, type JsonStyle } from "./json-writer.ts";
export { toJson } from "./to-json.ts";
export { toToml } from "./to-toml.ts";
export { toYaml, toYamlPretty } from "./to-yaml.ts";
