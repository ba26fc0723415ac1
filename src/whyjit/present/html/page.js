"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const CHUNK = 80;
  const MISSING = {
    full: "They are left out, since this page has many programs already. They are shown by ",
    long: "They are left out, since they have very many equations. They are shown by ",
  };

  /** An element with its class, attributes and children; text is always text. */
  function make(tag, { className = "", ...attributes } = {}, ...children) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children.filter((child) => child !== null && child !== ""));
    return element;
  }

  /** Puts a pooled cell into an element: a text, or pieces with a role each. */
  function fill(element, cell) {
    if (typeof cell === "string") element.textContent = cell;
    else element.append(...cell.map(([role, text]) => (role === "quoted" || role === "code"
      ? make("code", { className: role }, text) : make("span", { className: role }, text))));
    return element;
  }

  /** A path, which may be broken after each of its folders. */
  const path = (text) => text.split(/(?<=\/)/).flatMap((part, at) => (at ? [make("wbr"), part] : [part]));

  const plain = (cell) => (typeof cell === "string" ? cell : cell.map((piece) => piece[1]).join(""));

  /** Rows that are made as the reader comes near them, and all of them for paper. */
  class Lazy {
    static all = new Set();

    constructor(body, root, makeRow) {
      Object.assign(this, { body, makeRow, items: [], made: 0 });
      Lazy.all.add(this);
      this.sentinel = make("tr", { "aria-hidden": "true" });
      this.watch = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && this.more(),
        { root, rootMargin: "600px" });
    }

    show(items) {
      this.watch.disconnect();
      this.items = items;
      this.made = 0;
      this.body.replaceChildren(this.sentinel);
      this.more();
      this.watch.observe(this.sentinel);
    }

    more() {
      const next = this.items.slice(this.made, this.made + CHUNK);
      this.made += next.length;
      this.sentinel.before(...next.map(this.makeRow));
      if (this.made >= this.items.length) {
        this.watch.disconnect();
        this.sentinel.remove();
      } else { // a sentinel that stays in view reports once only
        this.watch.unobserve(this.sentinel);
        this.watch.observe(this.sentinel);
      }
    }
  }

  addEventListener("beforeprint", () => {
    for (const lazy of Lazy.all) {
      if (!lazy.body.isConnected) Lazy.all.delete(lazy);
      else while (lazy.made < lazy.items.length) lazy.more();
    }
  });

  /** A table of pooled cells in a box of its own, with a filter when it is long. */
  function grid(title, made) {
    const columns = data.columns[made.columns];
    // A narrow page shows rows as cards; the roles keep it a table.
    const head = make("tr", { role: "row" },
      ...columns.map(([name, align]) => make("th", { scope: "col", role: "columnheader", className: align }, name)));
    const body = make("tbody", { role: "rowgroup" });
    const box = make("div", { className: "scroll tall", tabindex: "0", role: "region", "aria-label": made.label },
      make("table", { role: "table" }, make("thead", { role: "rowgroup" }, head), body));
    const rows = made.rows.map((numbers, place) => ({ numbers, changed: made.changed[place] ?? [] }));
    const lazy = new Lazy(body, box, ({ numbers, changed }) => make("tr", { role: "row" }, ...numbers.map((number, at) => {
      const [name, align, role, wrap] = columns[at];
      const classes = [align, role === "code" || role === "path" ? role : "", wrap ? "wrap" : "tight", changed.includes(at) ? "changed" : ""];
      const attributes = { className: classes.filter(Boolean).join(" "), role: "cell", "data-title": name };
      return fill(make("td", attributes), data.cells[number]);
    })));
    const section = make("section", {});
    if (rows.length > 20) {
      const input = make("input", { type: "search", placeholder: `filter ${rows.length} rows`, "aria-label": `filter ${made.label}` });
      input.addEventListener("input", () => {
        const wanted = input.value.toLowerCase();
        lazy.show(rows.filter((row) => row.numbers.some((number) => plain(data.cells[number]).toLowerCase().includes(wanted))));
      });
      section.append(make("div", { className: "filter" }, input));
    }
    section.append(make("h2", {}, `${title} `, make("span", { className: "dim" }, made.total)), box);
    lazy.show(rows);
    return section;
  }

  // The list of functions.
  const state = { column: 0, down: true };
  const list = new Lazy(byId("functions").tBodies[0], null, functionRow);

  function functionRow(line) {
    const chips = () => line.codes.map((code) => make("span", { className: line.wrong.includes(code) ? "chip bad" : "chip" }, code));
    const links = line.names.flatMap(([name, id], at) => [at ? ", " : "", make("a", { href: `#function-${id}` }, name)]);
    const named = make("td", { className: "named column-function" }, line.lead ? make("span", { className: "dim" }, `${line.lead}: `) : "",
      ...links, line.more ? make("span", { className: "dim" }, ` ${line.more}`) : "", make("span", { className: "where" }, ...path(line.where)),
      make("span", { className: "codes-below" }, ...chips()));
    const bar = make("i");
    bar.style.width = `${100 * line.share}%`;
    const numbers = [2, 3, 4, 5, 6].map((at) => make("td", { className: `right column-${columnNames[at]}` }, line.texts[at]));
    const row = make("tr", {}, make("td", { className: "right lost" }, line.texts[0], bar), named, ...numbers,
      make("td", { className: "column-findings" }, ...chips()));
    row.addEventListener("click", (event) => {
      if (!event.target.closest("a") && !getSelection().toString()) location.hash = `function-${line.names[0][1]}`;
    });
    return row;
  }

  const headers = [...byId("functions").tHead.rows[0].cells];
  const columnNames = headers.map((cell) => cell.textContent.trim());

  function refresh() {
    const wanted = byId("search").value.toLowerCase().trim();
    const module = byId("module").value;
    const kept = data.lines.filter((line) => (!module || line.module === module)
      && (!byId("library").checked || line.kind === "function") && (!byId("flagged").checked || line.codes.length)
      && (!wanted || `${line.names.map((name) => name[0]).join(" ")} ${line.where} ${line.codes.join(" ")}`.toLowerCase().includes(wanted)));
    const { column, down } = state;
    kept.sort((a, b) => {
      const [x, y] = [a.sort[column], b.sort[column]];
      const order = typeof x === "string" ? x.localeCompare(y) : x - y;
      return (column === 0 && a.urgent !== b.urgent) ? b.urgent - a.urgent : down ? -order : order;
    });
    const all = `${data.lines.length} ${data.lines.length === 1 ? "line" : "lines"}`;
    byId("shown").textContent = kept.length === data.lines.length ? all : `${kept.length} of ${all}`;
    list.show(kept);
    if (!kept.length) list.body.replaceChildren(make("tr", {}, make("td", { className: "empty", colspan: headers.length },
      data.lines.length ? "No function fits the search." : "No jitted function was called, traced or compiled while this was recorded.")));
  }

  headers.forEach((cell, column) => cell.querySelector("button").addEventListener("click", () => {
    const text = typeof data.lines[0]?.sort[column] === "string";
    state.down = state.column === column ? !state.down : !text;
    state.column = column;
    headers.forEach((other) => other.removeAttribute("aria-sort"));
    cell.setAttribute("aria-sort", state.down ? "descending" : "ascending");
    refresh();
  }));
  for (const id of ["search", "module", "library", "flagged"]) byId(id).addEventListener("input", refresh);
  document.querySelector(".tools").addEventListener("submit", (event) => event.preventDefault());

  // The view of one function.
  function showFunction(id) {
    const made = data.functions[id];
    const view = byId("function");
    const heading = make("h1", { tabindex: "-1" }, made.name);
    const about = [made.qualname, made.kind].filter(Boolean).join(" · ");
    view.replaceChildren(make("p", {}, make("a", { href: "#", className: "back-link" }, "← all functions")), heading,
      make("p", { className: "dim" }, make("code", {}, ...path(made.where)), about ? ` ${about}` : ""),
      make("ul", { className: "counts" }, ...made.counts.map(([number, noun]) => make("li", {}, make("b", {}, number), noun))));
    const prepared = byId(`prepared-${id}`)?.content.cloneNode(true);
    const put = (name, ...title) => {
      const part = prepared?.querySelector(`.${name}`);
      if (part) view.append(title.length ? make("section", {}, make("h2", {}, ...title), part) : part);
    };
    put("failures");
    put("findings");
    put("once");
    if (made.matrix.rows.length) view.append(grid("Specializations", made.matrix));
    if (made.constants.length) {
      view.append(make("details", {}, make("summary", {}, "The same in all of them"),
        make("dl", { className: "values" }, ...made.constants.flatMap(([name, value]) => [make("dt", {}, plain(data.cells[name])),
          make("dd", {}, make("code", {}, plain(data.cells[value])))]))));
    }
    put("trace");
    put("programs", "Programs");
    if (made.missing) {
      view.append(make("section", {}, make("h2", {}, "Programs"), make("p", {}, MISSING[made.missing],
        make("code", { className: "quoted" }, `whyjit show ${made.name}`), ".")));
    }
    if (made.ledger) view.append(grid("Call ledger", made.ledger));
    return heading;
  }

  /** Shows the pages of the findings that are in view. */
  function showPages(wanted) {
    const pages = [...document.querySelectorAll(".pages details")];
    for (const page of pages) page.hidden = !wanted(page.id.slice("page-".length));
    const section = document.querySelector(".pages");
    if (section) section.hidden = pages.every((page) => page.hidden);
  }

  function route() {
    const [, kind, key] = /^#(function|page)-(.+)$/.exec(decodeURIComponent(location.hash)) ?? [];
    if (kind === "page") {
      const page = byId(`page-${key}`);
      if (page) {
        page.open = true;
        page.scrollIntoView({ block: "start" });
      }
      return;
    }
    if (location.hash === "#main") return;
    const known = kind === "function" && Object.hasOwn(data.functions, key);
    for (const part of document.querySelectorAll("[data-only=overview]")) part.hidden = known;
    byId("function").hidden = !known;
    if (timeline) byId("overview").before(timeline);
    for (const bars of document.querySelectorAll(".bars")) {
      bars.classList.toggle("focused", known);
      for (const bar of bars.querySelectorAll("a")) bar.classList.toggle("own", known && bar.dataset.function === key);
    }
    if (known) {
      const heading = showFunction(key);
      if (timeline) byId("function").querySelector(".counts").after(timeline);
      showPages((code) => byId("function").querySelector(`a[href='#page-${code}']`));
      scrollTo(0, 0);
      heading.focus({ preventScroll: true });
      document.title = `whyjit: ${data.functions[key].name}`;
    } else {
      byId("function").replaceChildren();
      showPages(() => true);
      document.title = title;
      scrollTo(0, place);
    }
  }

  // The timeline: bar by bar with the keyboard or a finger, and wider.
  const timeline = document.querySelector(".timeline");
  if (timeline) {
    const time = timeline.querySelector(".time");
    const chart = timeline.querySelector(".chart");
    const readout = timeline.querySelector(".readout");
    const start = (bar) => parseFloat(bar.firstElementChild.getAttribute("x"));
    const bars = [...timeline.querySelectorAll(".bars a")].sort((a, b) => start(a) - start(b));
    const buttons = [...timeline.querySelectorAll("[data-zoom]")];
    let [at, zoom] = [-1, 1];
    const tell = (bar) => { readout.textContent = bar?.querySelector("title").textContent ?? ""; };
    const select = (number) => {
      bars[at]?.classList.remove("at");
      at = Math.max(0, Math.min(bars.length - 1, number));
      bars[at].classList.add("at");
      tell(bars[at]);
      const [box, bar] = [time.getBoundingClientRect(), bars[at].getBoundingClientRect()];
      if (bar.left < box.left + 80 || bar.right > box.right) time.scrollLeft += bar.left - box.left - box.width / 3;
    };
    const widen = (step) => {
      const middle = (time.scrollLeft + time.clientWidth / 2) / time.scrollWidth;
      zoom = Math.max(1, Math.min(64, step > 0 ? zoom * 2 : zoom / 2));
      chart.style.setProperty("--zoom", zoom);
      chart.classList.toggle("zoomed", zoom >= 8);
      time.scrollLeft = middle * time.scrollWidth - time.clientWidth / 2;
      buttons.forEach((each) => { each.disabled = zoom === (each.dataset.zoom > 0 ? 64 : 1); });
    };
    buttons.forEach((each) => each.addEventListener("click", () => widen(Number(each.dataset.zoom))));
    widen(-1);
    time.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (step) select(at + step);
      else if ("+-".includes(event.key)) widen(event.key === "+" ? 1 : -1);
      else if (event.key === "Enter" && bars[at]?.hasAttribute("href")) location.hash = bars[at].getAttribute("href");
      else return;
      event.preventDefault();
    });
    chart.addEventListener("pointerover", (event) => {
      const bar = event.target.closest(".bars a");
      if (bar && event.pointerType === "mouse") tell(bar);
    });
    chart.addEventListener("click", (event) => { // a first tap tells what a bar is, a second one opens its function
      const bar = event.target.closest(".bars a");
      if (!bar || event.pointerType === "mouse" || bars[at] === bar) return;
      event.preventDefault();
      select(bars.indexOf(bar));
    });
  }

  let place = 0;
  const title = document.title;
  addEventListener("scroll", () => { if (byId("function").hidden) place = scrollY; }, { passive: true });
  addEventListener("hashchange", route);
  addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !typing && byId("function").hidden) {
      event.preventDefault();
      byId("search").focus();
    } else if (event.key === "Escape" && !typing && !byId("function").hidden) location.hash = "";
  });

  // Light, dark, or as the system says.
  const themes = ["auto", "light", "dark"];
  const button = byId("theme");
  function setTheme(theme) {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.dataset.chosen = theme;
    button.textContent = `Theme: ${theme}`;
    try { localStorage.setItem("whyjit-theme", theme); } catch { /* a file may have no storage */ }
  }
  button.addEventListener("click", () => setTheme(themes[(themes.indexOf(button.dataset.chosen) + 1) % 3]));
  let stored = null;
  try { stored = localStorage.getItem("whyjit-theme"); } catch { /* likewise */ }
  setTheme(themes.includes(stored) ? stored : "auto");

  refresh();
  route();
})();
