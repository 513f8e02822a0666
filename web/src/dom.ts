// dom.ts - elements with attributes and text. Names of nodes only ever become text.

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  text?: string,
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  if (text !== undefined) e.textContent = text;
  return e;
}

export function byId<T extends HTMLElement>(id: string): T {
  const e = document.getElementById(id);
  if (e === null) throw new Error(`no element ${id}`);
  return e as T;
}

/** What a node is called; its whole name is in the title. */
export function nameText(label: string, name: string): HTMLElement {
  return element('span', { class: 'name', title: name }, label === '' ? '(no name)' : label);
}

const WHOLE = new Intl.NumberFormat('en');
export const whole = (n: number): string => WHOLE.format(n);
export const plural = (n: number, one: string, many: string): string => `${whole(n)} ${n === 1 ? one : many}`;
