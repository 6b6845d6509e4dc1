import { config } from "zod";

// The content policy of the server allows no code made from text. Schemas ask for this when they are made, so that this file is
// imported before all others.
config({ jitless: true });
