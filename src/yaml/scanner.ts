import { isBlankOrEnd, isBreak, isWord } from "./characters.ts";
import { byteOrderMark, Cursor } from "./cursor.ts";
import { scanBlock } from "./scan-block.ts";
import { scanPlain } from "./scan-plain.ts";
import { scanQuoted } from "./scan-quoted.ts";
import { scanDirective, scanTag } from "./scan-tag.ts";
import { SimpleKeys } from "./simple-keys.ts";
import { type TokenKind, tokenKind, TokenQueue } from "./token-queue.ts";

/**
 * Cuts a text into the tokens that libyaml cuts it into, which goyaml.v2 copied.
 * A key shows itself only by the `:` behind it: until then its tokens wait in the queue.
 */
export class Scanner extends Cursor {
  readonly tokens = new TokenQueue();
  readonly #keys = new SimpleKeys(this);
  readonly #indents: number[] = [];
  #indent = -1;
  #flowLevel = 0;
  /** Whether a key without `?` may begin here. */
  #keyAllowed = true;
  #isReady = false;

  /** The next token, which stays until `next`. */
  peek(): TokenKind {
    if (!this.#isReady) {
      while (this.tokens.isEmpty || this.#keys.mayClaim(this.tokens.taken)) this.#fetch();
      this.#isReady = true;
    }
    return this.tokens.kind;
  }

  next(): void {
    this.#isReady = false;
    this.tokens.take();
  }

  #fetch(): void {
    this.#skipToToken();
    this.#unroll(this.column);
    const code = this.code();
    if (code === 0) return this.#streamEnd();
    if (this.position === this.lineStart) {
      if (code === 0x25) return this.#directive();
      if (this.atDocumentMarker())
        return this.#documentMarker(code === 0x2d ? tokenKind.documentStart : tokenKind.documentEnd);
    }
    switch (code) {
      case 0x5b:
        return this.#flowStart(tokenKind.flowSequence);
      case 0x7b:
        return this.#flowStart(tokenKind.flowMapping);
      case 0x5d:
        return this.#flowEnd(tokenKind.flowSequenceEnd);
      case 0x7d:
        return this.#flowEnd(tokenKind.flowMappingEnd);
      case 0x2c:
        return this.#flowEntry();
      case 0x2d:
        return isBlankOrEnd(this.code(1)) ? this.#blockEntry() : this.#plain();
      case 0x3f:
        return this.#flowLevel > 0 || isBlankOrEnd(this.code(1)) ? this.#key() : this.#plain();
      case 0x3a:
        return this.#flowLevel > 0 || isBlankOrEnd(this.code(1)) ? this.#value() : this.#plain();
      case 0x2a:
        return this.#anchor(tokenKind.alias);
      case 0x26:
        return this.#anchor(tokenKind.anchor);
      case 0x21:
        return this.#tag();
      case 0x7c:
      case 0x3e:
        if (this.#flowLevel > 0) break;
        return this.#block();
      case 0x27:
      case 0x22:
        return this.#quoted();
      case 0x09:
      case 0x25:
      case 0x40:
      case 0x60:
        break;
      default:
        return this.#plain();
    }
    throw this.failure("found character that cannot start any token");
  }

  /** Tabs are blanks only where no key may begin. */
  #skipToToken(): void {
    for (;;) {
      let code = this.code();
      // Of two marks that begin a text, both are skipped. Anywhere else it is a character like any other, other than for goyaml.v2,
      // which by a slip looks for it where its buffer happens to begin, and then skips whatever begins a line.
      // libyaml skips one at the beginning of any line.
      const isSkipped = this.isLibyaml ? this.column === 0 : this.position === 1 && this.lineStart === 1;
      if (code === byteOrderMark && isSkipped) {
        this.position += 1;
        code = this.code();
      }
      while (code === 0x20 || (code === 0x09 && (this.#flowLevel > 0 || !this.#keyAllowed))) {
        this.position += 1;
        code = this.code();
      }
      this.skipComment();
      if (!isBreak(this.code())) return;
      this.takeBreak();
      if (this.#flowLevel === 0) this.#keyAllowed = true;
    }
  }

  /** A deeper column opens a block collection; its token goes before the tokens of its first key. */
  #roll(column: number, kind: TokenKind, number: number, position: number, line: number): void {
    if (this.#flowLevel > 0 || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    this.tokens.insert(number, kind, position, line);
  }

  /** A column further left closes block collections. */
  #unroll(column: number): void {
    if (this.#flowLevel > 0) return;
    while (this.#indent > column) {
      this.#push(tokenKind.blockEnd);
      this.#indent = this.#indents.pop() ?? -1;
    }
  }

  #push(kind: TokenKind): void {
    this.tokens.push(kind, this.position, this.line);
  }

  #closeEverything(): void {
    this.#unroll(-1);
    this.#keys.drop(this.#flowLevel);
    this.#keyAllowed = false;
  }

  #streamEnd(): void {
    if (this.column !== 0) {
      this.lineStart = this.position;
      this.line += 1;
    }
    this.#closeEverything();
    this.#push(tokenKind.streamEnd);
  }

  #directive(): void {
    this.#closeEverything();
    const { position, line } = this;
    const directive = scanDirective(this);
    if (typeof directive === "string") this.tokens.push(tokenKind.versionDirective, position, line, directive);
    else this.tokens.push(tokenKind.tagDirective, position, line, directive.handle, directive.suffix);
  }

  #documentMarker(kind: TokenKind): void {
    this.#closeEverything();
    this.#push(kind);
    this.position += 3;
  }

  #saveKey(): void {
    if (!this.#keyAllowed) return;
    const isRequired = this.#flowLevel === 0 && this.#indent === this.column;
    this.#keys.save(this.#flowLevel, this.tokens.nextNumber, isRequired);
  }

  #flowStart(kind: TokenKind): void {
    this.#saveKey();
    this.#flowLevel += 1;
    this.#keys.open(this.#flowLevel, this.tokens.nextNumber);
    this.#keyAllowed = true;
    this.#push(kind);
    this.position += 1;
  }

  #flowEnd(kind: TokenKind): void {
    this.#keys.drop(this.#flowLevel);
    if (this.#flowLevel > 0) {
      this.#flowLevel -= 1;
      this.#keys.close(this.#flowLevel);
    }
    this.#keyAllowed = false;
    this.#push(kind);
    this.position += 1;
  }

  #flowEntry(): void {
    this.#keys.drop(this.#flowLevel);
    this.#keyAllowed = true;
    this.#push(tokenKind.flowEntry);
    this.position += 1;
  }

  #blockEntry(): void {
    if (this.#flowLevel === 0) {
      if (!this.#keyAllowed) throw this.failure("block sequence entries are not allowed in this context");
      this.#roll(this.column, tokenKind.blockSequence, this.tokens.nextNumber, this.position, this.line);
    }
    this.#keys.drop(this.#flowLevel);
    this.#keyAllowed = true;
    this.#push(tokenKind.blockEntry);
    this.position += 1;
  }

  #key(): void {
    if (this.#flowLevel === 0) {
      if (!this.#keyAllowed) throw this.failure("mapping keys are not allowed in this context");
      this.#roll(this.column, tokenKind.blockMapping, this.tokens.nextNumber, this.position, this.line);
    }
    this.#keys.drop(this.#flowLevel);
    this.#keyAllowed = this.#flowLevel === 0;
    this.#push(tokenKind.key);
    this.position += 1;
  }

  #value(): void {
    const key = this.#keys.claim(this.#flowLevel);
    if (key) {
      this.tokens.insert(key.number, tokenKind.key, key.position, key.line);
      this.#roll(key.column, tokenKind.blockMapping, key.number, key.position, key.line);
      this.#keyAllowed = false;
    } else {
      if (this.#flowLevel === 0) {
        if (!this.#keyAllowed) throw this.failure("mapping values are not allowed in this context");
        this.#roll(this.column, tokenKind.blockMapping, this.tokens.nextNumber, this.position, this.line);
      }
      this.#keyAllowed = this.#flowLevel === 0;
    }
    this.#push(tokenKind.value);
    this.position += 1;
  }

  #anchor(kind: TokenKind): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const { position, line } = this;
    this.position += 1;
    while (isWord(this.code())) this.position += 1;
    const name = this.text.slice(position + 1, this.position);
    if (name === "" || (!isBlankOrEnd(this.code()) && !"?:,]}%@`".includes(this.text.charAt(this.position))))
      throw this.failure("did not find expected alphabetic or numeric character");
    this.tokens.push(kind, position, line, name);
  }

  #tag(): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const { position, line } = this;
    const { handle, suffix } = scanTag(this, this.#flowLevel > 0);
    this.tokens.push(tokenKind.tag, position, line, handle, suffix);
  }

  #block(): void {
    this.#keys.drop(this.#flowLevel);
    this.#keyAllowed = true;
    const { position, line } = this;
    this.tokens.push(tokenKind.quoted, position, line, scanBlock(this, this.#indent));
  }

  #quoted(): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const { position, line } = this;
    this.tokens.push(tokenKind.quoted, position, line, scanQuoted(this));
  }

  #plain(): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const { position, line } = this;
    const text = scanPlain(this, this.#indent + 1, this.#flowLevel > 0);
    this.tokens.push(tokenKind.plain, position, line, text);
    if (this.hasBrokenLine) this.#keyAllowed = true;
  }
}
