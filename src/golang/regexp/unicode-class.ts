const categoryNames: ReadonlyMap<string, string> = new Map([
  ["Casedletter", "LC"],
  ["Closepunctuation", "Pe"],
  ["Combiningmark", "M"],
  ["Connectorpunctuation", "Pc"],
  ["Control", "Cc"],
  ["Currencysymbol", "Sc"],
  ["Dashpunctuation", "Pd"],
  ["Decimalnumber", "Nd"],
  ["Enclosingmark", "Me"],
  ["Finalpunctuation", "Pf"],
  ["Format", "Cf"],
  ["Initialpunctuation", "Pi"],
  ["Letter", "L"],
  ["Letternumber", "Nl"],
  ["Lineseparator", "Zl"],
  ["Lowercaseletter", "Ll"],
  ["Mark", "M"],
  ["Mathsymbol", "Sm"],
  ["Modifierletter", "Lm"],
  ["Modifiersymbol", "Sk"],
  ["Nonspacingmark", "Mn"],
  ["Number", "N"],
  ["Openpunctuation", "Ps"],
  ["Other", "C"],
  ["Otherletter", "Lo"],
  ["Othernumber", "No"],
  ["Otherpunctuation", "Po"],
  ["Othersymbol", "So"],
  ["Paragraphseparator", "Zp"],
  ["Privateuse", "Co"],
  ["Punctuation", "P"],
  ["Separator", "Z"],
  ["Spaceseparator", "Zs"],
  ["Spacingmark", "Mc"],
  ["Surrogate", "Cs"],
  ["Symbol", "S"],
  ["Titlecaseletter", "Lt"],
  ["Unassigned", "Cn"],
  ["Uppercaseletter", "Lu"],
  ["Cntrl", "Cc"],
  ["Digit", "Nd"],
  ["Punct", "P"],
]);

/** Scripts of Unicode 16 and 17; Go knows Unicode 15. */
const newerScripts: ReadonlySet<string> = new Set(["Garay", "Sidetic", "Sunuwar", "Todhri"]);

/**
 * The name of a Unicode class as the engine knows it. Since Go 1.25 case, spaces and underscores do not count in Go;
 * which also means that Go no longer finds scripts that have an underscore in their names, nor SignWriting.
 */
export function engineClassName(name: string): string {
  const negation = name.startsWith("^") ? "^" : "";
  const letters = name.slice(negation.length).replaceAll(/[_ -]/g, "");
  const plain = letters.slice(0, 1).replace(/[a-z]/, upper) + letters.slice(1).replaceAll(/[A-Z]/g, lower);
  return negation + (newerScripts.has(plain) ? "unknown" : (categoryNames.get(plain) ?? plain));
}

function upper(letter: string): string {
  return letter.toUpperCase();
}

function lower(letter: string): string {
  return letter.toLowerCase();
}
