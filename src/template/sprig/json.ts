import {
  decodeJson,
  encodeJson,
  EncodingError,
  FunctionError,
  type GoFunction,
  goFunction,
  type JsonStyle,
  weigh,
} from "#golang";
import { keepingPlace } from "../keeps-place.ts";

/** JSON as Go's encoding/json reads and writes it. */
export const json: Record<string, GoFunction> = {
  toJson: keepingPlace(encoding({}, "quiet")),
  mustToJson: encoding({}, "strict"),
  toPrettyJson: keepingPlace(encoding({ isPretty: true }, "quiet")),
  mustToPrettyJson: encoding({ isPretty: true }, "strict"),
  // Unlike the others, toRawJson fails even without `must`.
  toRawJson: encoding({ escapesHtml: false }, "strict"),
  mustToRawJson: encoding({ escapesHtml: false }, "strict"),
  // Go may decode a part before an error; a template gets the part.
  fromJson: goFunction(["string"], ([text], { budget }) => {
    budget.make(text.length);
    return decodeJson(text).value;
  }),
  mustFromJson: goFunction(["string"], ([text], { budget }) => {
    budget.make(text.length);
    const { value, error } = decodeJson(text);
    if (error !== undefined) throw new FunctionError(error);
    return value;
  }),
};

/** A value that cannot be written is an error if `strict`, and empty text if `quiet`. */
function encoding(style: JsonStyle, manner: "quiet" | "strict"): GoFunction {
  return goFunction(["any"], ([value], { budget }) => {
    weigh(value, budget);
    try {
      const text = encodeJson(value, style);
      budget.make(text.length);
      return text;
    } catch (error) {
      if (!(error instanceof EncodingError)) throw error;
      if (manner === "quiet") return "";
      throw new FunctionError(error.message);
    }
  });
}
