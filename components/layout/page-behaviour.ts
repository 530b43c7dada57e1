/**
 * What each page does by script and without React: copying (`CopyText`), storing the theme (`ThemeSwitch`), and going through a
 * chart (`Answers`) by arrow keys as one stop of the keyboard; on a touch screen the first touch shows the figures, and the second
 * one follows the link. It is sent as text, so it uses nothing from outside of itself.
 */
export function behave(themeCookie: string): void {
  const shownMs = 2_000;
  const yearS = 31_536_000;
  const restores = new WeakMap<Element, () => void>();

  document.addEventListener("click", async ({ target }) => {
    const button = (target as Element).closest<HTMLElement>("[data-copy], [data-copy-from]");
    if (button === null) return;
    const { copy, copyFrom = "" } = button.dataset;
    const isCopied = await copyText(copy ?? document.getElementById(copyFrom)?.textContent ?? "");
    restores.get(button)?.();
    const restore = say(button, isCopied);
    const timer = setTimeout(restore, shownMs);
    restores.set(button, () => {
      clearTimeout(timer);
      restore();
    });
  });

  // A page that was loaded ahead, or is shown again, may have the theme of before.
  window.addEventListener("pageshow", () => {
    const stored = new RegExp(`(?:^|; )${themeCookie}=(\\w+)`).exec(document.cookie)?.[1];
    const button = document.querySelector<HTMLInputElement>(`input[name="theme"][value="${stored}"]`);
    if (stored === undefined || button === null) return;
    button.checked = true;
    document.documentElement.dataset.theme = stored;
  });

  document.addEventListener("change", ({ target }) => {
    const { name, value } = target as HTMLInputElement;
    if (name !== "theme") return;
    const secure = location.protocol === "https:" ? "; Secure" : "";
    // biome-ignore lint/suspicious/noDocumentCookie: cookieStore is missing on plain http, where many installations run
    document.cookie = `${themeCookie}=${value}; Path=/; Max-Age=${yearS}; SameSite=Lax${secure}`;
    document.documentElement.dataset.theme = value;
  });

  const answersOf = (box: Element) => [...box.querySelectorAll<SVGAElement>("a")];
  const boxOf = (target: EventTarget | null) => (target as Element | null)?.closest?.("[data-answers]");
  const makeStop = (box: Element, stop: Element | undefined) => {
    for (const answer of answersOf(box)) answer.setAttribute("tabindex", answer === stop ? "0" : "-1");
  };
  for (const box of document.querySelectorAll("[data-answers]")) makeStop(box, answersOf(box)[0]);

  document.addEventListener("focusin", ({ target }) => {
    const box = boxOf(target);
    if (box) makeStop(box, target as Element);
    for (const held of document.querySelectorAll("[data-held]")) if (held !== target) held.removeAttribute("data-held");
  });

  document.addEventListener("keydown", (event) => {
    const box = boxOf(event.target);
    if (!box || event.altKey || event.ctrlKey || event.metaKey) return;
    const answers = answersOf(box);
    const [at, last] = [answers.indexOf(event.target as SVGAElement), answers.length - 1];
    const to = { ArrowLeft: Math.max(0, at - 1), ArrowRight: Math.min(last, at + 1), Home: 0, End: last }[event.key];
    if (at === -1 || to === undefined) return;
    event.preventDefault();
    answers[to]?.focus();
  });

  document.addEventListener(
    "click",
    (event) => {
      const answer = boxOf(event.target) && (event.target as Element).closest<SVGAElement>("a");
      if (!answer || (event as PointerEvent).pointerType !== "touch" || "held" in answer.dataset) return;
      event.preventDefault();
      answer.focus();
      answer.dataset.held = "";
    },
    true,
  );

  /** Says it in the status beside the button, and with a tick in place of its icon. Returns what takes both back. */
  function say(button: HTMLElement, isCopied: boolean): () => void {
    const status = button.nextElementSibling as HTMLElement;
    const icon = button.querySelector("svg") as SVGElement;
    const before = [...icon.childNodes];
    status.textContent = isCopied ? "Copied" : "Not copied: select it and press Ctrl C";
    status.toggleAttribute("data-failed", !isCopied);
    if (isCopied) icon.innerHTML = '<path d="M20 6 9 17l-5-5"/>';
    icon.classList.toggle("text-ok", isCopied);
    return () => {
      status.textContent = "";
      icon.replaceChildren(...before);
      icon.classList.remove("text-ok");
    };
  }

  /** Falls back to execCommand over plain http, where browsers disable the clipboard API. */
  async function copyText(text: string): Promise<boolean> {
    try {
      if (navigator.clipboard) {
        await navigator.clipboard.writeText(text);
        return true;
      }
      const area = document.createElement("textarea");
      area.value = text;
      area.className = "sr-only";
      // Nothing outside of an open dialog can have the focus.
      (document.querySelector("dialog[open]") ?? document.body).append(area);
      area.select();
      const isCopied = document.execCommand("copy");
      area.remove();
      return isCopied;
    } catch {
      return false;
    }
  }
}
