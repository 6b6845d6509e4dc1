import { type ReactNode, useEffect, useState } from "react";
import { setFilter } from "../use-route.tsx";

const typingMs = 150;

/** What is typed is asked for after a short pause. */
export function SearchField({ value, placeholder }: { value: string; placeholder: string }): ReactNode {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return undefined;
    const waiting = setTimeout(() => setFilter("search", typed), typingMs);
    return () => clearTimeout(waiting);
  }, [typed, value]);
  return (
    <label className="field field-search">
      <span>search</span>
      <input
        type="search"
        value={typed}
        data-search
        placeholder={placeholder}
        onChange={({ target }) => setTyped(target.value)}
      />
    </label>
  );
}

/** A filter of the address with a few values. */
export function Choice({
  name,
  title,
  values,
  value,
  labels = {},
  none = "all",
}: {
  name: string;
  title: string;
  values: readonly string[];
  value: string;
  labels?: Readonly<Record<string, number>>;
  none?: string;
}): ReactNode {
  const shown = value === "" || values.includes(value) ? values : [value, ...values];
  return (
    <label className="field">
      <span>{title}</span>
      <select value={value} onChange={({ target }) => setFilter(name, target.value)}>
        <option value="">{none}</option>
        {shown.map((each) => (
          <option key={each} value={each}>
            {each}
            {labels[each] === undefined ? "" : ` (${labels[each]})`}
          </option>
        ))}
      </select>
    </label>
  );
}
