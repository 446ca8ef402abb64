import type { History } from '../history/index.js';
import { Companions } from './companions.js';
import type { FileIndex } from './fileIndex.js';
import { Ground } from './ground.js';
import { ImportGraph } from './imports.js';
import { NameIndex } from './mentions.js';
import type { RefreshReport } from './refreshReport.js';
import { foldersOf, isTeamLayer } from './rules.js';

/** What is worked out of the files as they are now; made on first use after a change, and only as much of it as the change concerns. */
export class Derived {
  #graph: ImportGraph | undefined;
  #companions: Companions | undefined;
  #names: NameIndex | undefined;
  #ground: Ground | undefined;
  #known: string[] | undefined;
  #generation: number;

  constructor(
    private readonly index: FileIndex,
    private readonly history: History | undefined,
  ) {
    this.#generation = index.generation;
  }

  /** To be told of every refresh; whoever asks before that gets everything made anew. */
  after({ added, changed, removed }: RefreshReport): void {
    const isNext = this.index.generation === this.#generation + 1;
    if (!isNext || added.length + removed.length > 0) {
      this.#renew();
      return;
    }
    // The same paths with other contents: names stay, and only their own imports may lead elsewhere.
    this.#generation = this.index.generation;
    this.#ground = undefined;
    for (const path of changed) this.#graph?.replace(this.index.get(path)!);
  }

  /** Forgets what is not of the files as they are. */
  #renew(): void {
    if (this.index.generation === this.#generation) return;
    this.#generation = this.index.generation;
    this.#graph = undefined;
    this.#companions = undefined;
    this.#names = undefined;
    this.#ground = undefined;
    this.#known = undefined;
  }

  graph(): ImportGraph {
    this.#renew();
    this.#graph ??= new ImportGraph(this.index.list);
    return this.#graph;
  }

  companions(): Companions {
    this.#renew();
    this.#companions ??= new Companions(this.#paths());
    return this.#companions;
  }

  ground(): Ground {
    this.#renew();
    this.#ground ??= new Ground(this.index, this.history);
    return this.#ground;
  }

  names(): NameIndex {
    this.#renew();
    this.#names ??= new NameIndex(this.#paths().filter((path) => !isTeamLayer(path)));
    return this.#names;
  }

  /** Files and their folders, for "did you mean". */
  known(): string[] {
    this.#renew();
    this.#known ??= [...foldersOf(this.#paths()), ...this.#paths()];
    return this.#known;
  }

  #paths(): string[] {
    return this.index.list.map(({ path }) => path);
  }
}
