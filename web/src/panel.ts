// panel.ts - the panel beside the disk: path to the root, the chosen node with what is above, below and near it, the branches, and
// the training history.
import { Data, NONE } from './data';
import { Theme } from './theme';
import { byId, element, nameText, plural, whole } from './dom';
import { historyCharts } from './chart';
import { shorten } from './labels';

const FEW = 8; // children shown before "all"
const NEAR = 10;

export class Panel {
  private theme: Theme;

  constructor(
    private readonly data: Data,
    theme: Theme,
    private readonly go: (node: number) => void,
    private readonly point: (node: number) => void, // a node is pointed at in the panel; -1: none
  ) {
    this.theme = theme;
    const { about } = data;
    document.title = `${about.title} · geodisk`;
    byId('title').textContent = about.title;
    const facts = [plural(about.nodes, 'node', 'nodes')];
    if (about.graph) facts.push(plural(about.edges, 'edge', 'edges'));
    facts.push(plural(about.dim, 'dimension', 'dimensions') + (about.flat ? ', flat' : ''));
    byId('facts').textContent = facts.join(' · ');
    if (about.flat) byId('near-what').textContent = 'distance';
    if (about.network) {
      byId('below-title').textContent = 'Neighbours';
      byId('branches-title').textContent = 'Communities';
    }
    this.showNotes();
    this.showBranches();
    const charts = historyCharts(about.history);
    byId('charts').replaceChildren(...charts);
    byId('history').hidden = charts.length === 0;
    this.show(-1);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.showBranches();
  }

  private showNotes(): void {
    const { about } = this.data;
    const notes: string[] = [];
    if (!about.graph) notes.push('There is no graph here: nodes only, without edges and branches.');
    if (about.distortion !== null)
      notes.push(
        `The model has ${about.dim} dimensions; its picture in the plane changes the distance of half of all pairs by more than ` +
          `${(100 * about.distortion).toFixed(0)} %. ` +
          (about.vectors > 0 ? 'Distances in lists are those of the model.' : 'Distances in lists are those of the picture.'),
      );
    const box = byId('notes');
    box.replaceChildren(...notes.map((text) => element('p', {}, text)));
    box.hidden = notes.length === 0;
  }

  private showBranches(): void {
    const { data } = this;
    byId('branches').hidden = data.about.branches.length === 0;
    byId('branch-list').replaceChildren(
      ...data.about.branches.map((branch, k) => this.entry(branch.node, whole(branch.nodes), this.theme.css[k])),
    );
  }

  /** A node in a list: its colour, its name, a figure. */
  private entry(node: number, figure: string, colour = this.theme.css[this.data.branch[node]]): HTMLElement {
    const button = element('button', { type: 'button', class: 'entry' });
    const dot = element('span', { class: 'dot' });
    dot.style.background = colour;
    button.append(dot, nameText(shorten(this.data.labels[node]), this.data.names[node]));
    if (figure !== '') button.append(element('span', { class: 'figure' }, figure));
    button.addEventListener('click', () => this.go(node));
    button.addEventListener('pointerenter', () => this.point(node));
    button.addEventListener('pointerleave', () => this.point(-1));
    button.addEventListener('focus', () => this.point(node));
    button.addEventListener('blur', () => this.point(-1));
    const item = element('li');
    item.append(button);
    return item;
  }

  private list(id: string, nodes: number[], figure: (node: number) => string): void {
    const fill = (some: number[]): void => {
      const items = some.map((node) => this.entry(node, figure(node)));
      if (some.length < nodes.length) {
        const more = element('button', { type: 'button', class: 'more' }, `all ${whole(nodes.length)}`);
        more.addEventListener('click', () => fill(nodes.slice(0, 2000)));
        const item = element('li');
        item.append(more);
        items.push(item);
      }
      byId(`${id}-list`).replaceChildren(...items);
    };
    byId(id).hidden = nodes.length === 0;
    fill(nodes.length > FEW + 2 ? nodes.slice(0, FEW) : nodes);
  }

  /** Shows a node; -1: what to do when none is chosen. */
  show(node: number): void {
    const { data } = this;
    byId('chosen').hidden = node < 0;
    byId('welcome').hidden = node >= 0;
    byId('trail').hidden = node < 0 || data.parent[node] === NONE;
    if (node < 0) return;
    byId('trail').replaceChildren(
      ...data.pathTo(node).map((step, k, path) => {
        const item = element('li');
        const attributes = { type: 'button', class: 'step', title: data.names[step] };
        const button = element('button', attributes, shorten(data.labels[step]));
        if (k === path.length - 1) button.setAttribute('aria-current', 'location');
        button.addEventListener('click', () => this.go(step));
        item.append(button);
        return item;
      }),
    );
    byId('chosen-dot').style.background = this.theme.css[data.branch[node]];
    byId('chosen-name').textContent = data.labels[node] === '' ? '(no name)' : data.labels[node];
    byId('chosen-facts').textContent = this.facts(node).join(' · ');
    const { network } = data.about;
    this.list('above', network ? [] : data.parentsOf(node), () => '');
    this.list('below', network ? data.neighboursOf(node) : data.childrenOf(node), (other) =>
      data.below[other] > 0 ? whole(data.below[other]) : '',
    );
    const near = data.neighbours(node, NEAR);
    const distance = new Map(near.map((x) => [x.node, x.distance]));
    this.list(
      'near',
      near.map((x) => x.node),
      (other) => distance.get(other)!.toFixed(2),
    );
  }

  private facts(node: number): string[] {
    const { data } = this;
    const facts = data.names[node] !== data.labels[node] ? [data.names[node]] : [];
    if (data.about.network) return facts.concat(plural(data.below[node], 'edge', 'edges'));
    facts.push(`radius ${data.radius(node).toFixed(2)}`);
    if (data.about.graph) facts.push(`${whole(data.below[node])} below`);
    return facts;
  }

  /** The card beside the pointer. */
  card(node: number): HTMLElement[] {
    const { data } = this;
    const title = element('div', { class: 'card-title' });
    const dot = element('span', { class: 'dot' });
    dot.style.background = this.theme.css[data.branch[node]];
    title.append(dot, nameText(data.labels[node], data.names[node]));
    const rows: HTMLElement[] = [title];
    const row = (what: string, text: string): void => {
      const line = element('div', { class: 'card-row' });
      line.append(element('span', { class: 'quiet' }, what), element('span', { class: 'name' }, text));
      rows.push(line);
    };
    const some = (nodes: number[]): string => {
      const names = nodes.slice(0, 3).map((other) => shorten(data.labels[other]));
      return (nodes.length > 3 ? [...names, '…'] : names).join(', ');
    };
    if (data.names[node] !== data.labels[node]) row('name', data.names[node]);
    if (data.about.network) {
      const joined = data.neighboursOf(node);
      if (joined.length > 0) row(plural(joined.length, 'neighbour', 'neighbours'), some(joined));
      return rows;
    }
    row('radius', data.radius(node).toFixed(2));
    const above = data.parentsOf(node);
    if (above.length > 0) row(above.length === 1 ? 'parent' : 'parents', some(above));
    const below = data.childrenOf(node);
    if (below.length > 0) row(plural(below.length, 'child', 'children'), some(below));
    return rows;
  }
}
