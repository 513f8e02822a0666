// search.ts - the search field and its suggestions: names that begin with what is typed, then words in them, then any place.
import { Data } from './data';
import { element, nameText } from './dom';
import { Theme } from './theme';
import { shorten } from './labels';

const SUGGESTIONS = 9;

/** The best matches: whole name, start of the name, start of a word in it, anywhere; then more below, shorter, earlier. `lower` are
 * the names, and behind a line end what they are called where that is something else. */
export function suggest(data: Data, lower: string[], typed: string, most = SUGGESTIONS): number[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return [];
  const found: { node: number; rank: number }[] = [];
  for (let i = 0; i < data.n; i++) {
    const at = lower[i].indexOf(wanted);
    if (at < 0) continue;
    const before = at > 0 ? lower[i][at - 1] : '';
    const after = lower[i][at + wanted.length] ?? '';
    const wholeWord = !/[\p{L}\p{N}_-]/u.test(after);
    const kind =
      lower[i].length === wanted.length || (before === '\n' && after === '')
        ? 0
        : at === 0 || before === '\n'
          ? wholeWord
            ? 1
            : 3
          : /[\p{L}\p{N}]/u.test(before)
            ? 4
            : wholeWord
              ? 2
              : 3.5;
    found.push({ node: i, rank: kind * 1000 - Math.log2(1 + data.below[i]) + lower[i].length / 50 });
  }
  found.sort((p, q) => p.rank - q.rank || p.node - q.node);
  return found.slice(0, most).map((f) => f.node);
}

export class Search {
  private readonly lower: string[];
  private list: number[] = [];
  private active = -1;

  constructor(
    private readonly data: Data,
    private readonly input: HTMLInputElement,
    private readonly box: HTMLElement,
    private readonly theme: () => Theme,
    private readonly choose: (node: number) => void,
  ) {
    this.lower = data.names.map((name, i) => (name === data.labels[i] ? name : `${name}\n${data.labels[i]}`).toLowerCase());
    input.addEventListener('input', () => this.update());
    input.addEventListener('focus', () => this.update());
    input.addEventListener('blur', () => this.close());
    input.addEventListener('keydown', (event) => this.key(event));
    box.addEventListener('pointerdown', (event) => {
      const item = (event.target as HTMLElement).closest<HTMLElement>('[role=option]');
      if (item === null) return;
      event.preventDefault();
      this.take(Number(item.dataset.node));
    });
  }

  private update(): void {
    this.list = suggest(this.data, this.lower, this.input.value);
    this.active = this.list.length > 0 ? 0 : -1;
    const typed = this.input.value.trim();
    this.box.replaceChildren(
      ...this.list.map((node, k) => {
        const item = element('div', { role: 'option', id: `suggestion-${k}`, class: 'suggestion' });
        item.dataset.node = String(node);
        const dot = element('span', { class: 'dot' });
        dot.style.background = this.theme().css[this.data.branch[node]];
        const above = this.data.parentsOf(node)[0];
        const { names, labels, about } = this.data;
        item.append(dot, nameText(shorten(labels[node]), names[node]));
        if (names[node] !== labels[node]) item.append(element('span', { class: 'quiet' }, names[node]));
        else if (above !== undefined && !about.network) item.append(element('span', { class: 'quiet' }, shorten(labels[above])));
        return item;
      }),
    );
    if (this.list.length === 0 && typed !== '') this.box.append(element('div', { class: 'nothing' }, 'No name contains this.'));
    this.box.hidden = typed === '';
    this.input.setAttribute('aria-expanded', String(!this.box.hidden));
    this.mark();
  }

  private mark(): void {
    this.box
      .querySelectorAll('[role=option]')
      .forEach((item, k) => item.setAttribute('aria-selected', String(k === this.active)));
    if (this.active >= 0) this.input.setAttribute('aria-activedescendant', `suggestion-${this.active}`);
    else this.input.removeAttribute('aria-activedescendant');
  }

  private key(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && this.list.length > 0) {
      this.active = (this.active + step + this.list.length) % this.list.length;
      this.mark();
      event.preventDefault();
    } else if (event.key === 'Enter' && this.active >= 0) {
      this.take(this.list[this.active]);
      event.preventDefault();
    } else if (event.key === 'Escape') {
      this.input.value = '';
      this.close();
    }
    event.stopPropagation();
  }

  private take(node: number): void {
    this.input.value = '';
    this.close();
    this.input.blur();
    this.choose(node);
  }

  private close(): void {
    this.box.hidden = true;
    this.input.setAttribute('aria-expanded', 'false');
  }
}
