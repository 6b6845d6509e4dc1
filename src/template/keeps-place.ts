import type { GoFunction } from "#golang";

interface PlaceKeeping extends GoFunction {
  readonly keepsPlace: true;
}

/**
 * Declares that a function makes of plain words nothing but plain words, and structure that the author wrote into the action.
 * Functions that cut, replace or decode do not.
 */
export function keepingPlace(declared: GoFunction): PlaceKeeping {
  return { ...declared, keepsPlace: true };
}

export function keepsPlace(declared: GoFunction): boolean {
  return "keepsPlace" in declared && declared.keepsPlace === true;
}
