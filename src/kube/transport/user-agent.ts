import manifest from "#manifest" with { type: "json" };

/** How the server's logs and field managers name us. The manifest is imported, not read: a bundle carries it wherever it lies. */
export const userAgent = `tenon/${manifest.version}`;
