// The list of images: sorted, searched, and only as many rows as can be seen.
import { h, roving, whole } from "../dom.js";

const ROW = 30;
const PRINTED = 200;
const ALPHABET = new Intl.Collator("en", { numeric: true });

/**
 * @typedef {object} Row
 * @property {number} image
 * @property {string} name
 * @property {string} [label] the name without what all names begin with
 * @property {boolean} picture
 * @property {string} [thumbnail] data URL
 * @property {() => string[]} cells
 * @property {number} key what it is sorted by; NaN comes last
 *
 * @typedef {{name: string, title?: string, sort: () => void}} Heading
 */

/**
 * Rows whose name holds every word, smallest key first; those without one at the end.
 * @param {Row[]} rows @param {string} search @param {boolean} byName
 */
export function arranged(rows, search, byName) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const kept = rows.filter((row) => words.every((word) => row.name.toLowerCase().includes(word)));
  const rank = (/** @type {Row} */ row) => (Number.isNaN(row.key) ? Infinity : row.key);
  return kept.sort((a, b) => (byName ? 0 : rank(a) - rank(b) || 0) || ALPHABET.compare(a.name, b.name));
}

export class Gallery {
  /** @param {HTMLElement} host @param {(image: number) => void} pick */
  constructor(host, pick) {
    this.pick = pick;
    /** @type {Row[]} */ this.rows = [];
    this.current = -1;
    this.body = h("div", { class: "rows", role: "presentation" });
    this.header = h("div", { class: "row header" });
    this.scroller = h(
      "div",
      {
        class: "scroller",
        tabindex: 0,
        role: "listbox",
        "aria-label": "images",
        onscroll: () => {
          this.top = this.scroller.scrollTop;
          this.draw();
        },
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
      },
      this.body,
    );
    host.append(this.header, this.scroller);
    this.printing = false;
    this.height = 600; // asking the page for it would make it lay out everything
    this.top = 0;
    new ResizeObserver(() => {
      this.height = this.scroller.clientHeight;
      this.align();
      this.draw();
    }).observe(this.scroller);
  }

  /** Headings stand above their columns, with and without a scroll bar. */
  align() {
    this.header.style.paddingRight = `${11 + this.scroller.offsetWidth - this.scroller.clientWidth}px`;
  }

  /** @param {Row[]} rows already arranged @param {Heading[]} columns @param {number} current */
  show(rows, columns, current) {
    this.rows = rows;
    this.current = current;
    this.header.replaceChildren(
      h("span", { class: "cell name" }, `${whole(rows.length)} image${rows.length === 1 ? "" : "s"}`),
      ...columns.map(({ name, title, sort }) =>
        h("span", { class: "cell", title }, h("button", { type: "button", class: "sort", onclick: sort }, name)),
      ),
    );
    roving(this.header, "button");
    this.draw();
  }

  /** On paper there is no scrolling. @param {boolean} on */
  print(on) {
    this.printing = on;
    this.draw();
  }

  draw() {
    if (this.printing) {
      this.body.style.height = `${Math.min(PRINTED, this.rows.length) * ROW}px`;
      this.body.replaceChildren(...this.rows.slice(0, PRINTED).map((row, k) => this.row(row, k)));
      if (this.rows.length > PRINTED)
        this.header.firstChild.textContent = `the first ${PRINTED} of ${whole(this.rows.length)} images`;
      return;
    }
    this.scroller.setAttribute("aria-activedescendant", `image-${this.current}`);
    const first = Math.max(0, Math.min(Math.floor(this.top / ROW), this.rows.length - 1) - 4);
    const last = Math.min(this.rows.length, first + Math.ceil(this.height / ROW) + 8);
    this.body.style.height = `${this.rows.length * ROW}px`;
    this.body.replaceChildren(...this.rows.slice(first, last).map((row, k) => this.row(row, first + k)));
  }

  /** @param {Row} row @param {number} place */
  row(row, place) {
    const element = h(
      "div",
      {
        class: row.image === this.current ? "row current" : "row",
        role: "option",
        "data-image": row.image,
        "aria-selected": String(row.image === this.current),
        id: `image-${row.image}`,
        onclick: () => this.pick(row.image),
      },
      h("span", { class: "thumb" }, row.thumbnail ? h("img", { src: row.thumbnail, alt: "" }) : null),
      h("span", { class: "cell name", title: row.name }, row.picture ? "" : "▢ ", row.label ?? row.name),
      ...row.cells().map((text) => h("span", { class: "cell" }, text)),
    );
    element.style.top = `${place * ROW}px`;
    return element;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const place = this.rows.findIndex((row) => row.image === this.current);
    const next = {
      ArrowDown: place + 1,
      ArrowUp: place - 1,
      Home: 0,
      End: this.rows.length - 1,
      PageDown: place + 10,
      PageUp: place - 10,
    }[event.key];
    if (next === undefined || !this.rows.length) return;
    event.preventDefault();
    this.pick(this.rows[Math.max(0, Math.min(this.rows.length - 1, next))].image);
    this.reveal();
  }

  /** Scroll so that the current row is seen. */
  reveal() {
    const place = this.rows.findIndex((row) => row.image === this.current);
    if (place < 0) return;
    const { scrollTop, clientHeight } = this.scroller;
    if (place * ROW < scrollTop) this.scroller.scrollTop = place * ROW;
    else if ((place + 1) * ROW > scrollTop + clientHeight) this.scroller.scrollTop = (place + 1) * ROW - clientHeight;
    this.top = this.scroller.scrollTop;
    this.draw();
  }

  /** @param {number} image @param {number} by @returns {number} the image so many rows on */
  neighbour(image, by) {
    const place = this.rows.findIndex((row) => row.image === image);
    return this.rows[Math.max(0, Math.min(this.rows.length - 1, place + by))]?.image ?? -1;
  }
}
