import { useEffect, useState } from "react";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

function stored(): Theme {
  const found = localStorage.getItem("theme");
  return themes.find((theme) => theme === found) ?? "system";
}

/** The chosen theme, and a function that chooses the next one. */
export function useTheme(): readonly [Theme, () => void] {
  const [theme, setTheme] = useState(stored);
  useEffect(() => {
    localStorage.setItem("theme", theme);
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  return [theme, () => setTheme(themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system")];
}
