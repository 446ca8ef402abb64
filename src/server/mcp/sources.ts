import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { projectAbove } from '../../layout.js';
import { type McpProject, openMcpProject } from './project.js';
import type { ProjectSource } from './session.js';

/** How long a client may take to say which folders it has open; then the folder of this process counts. Milliseconds. */
const ROOTS_MS = 3_000;

/** One project for all who ask, opened when the first one does. */
export class OneProject implements ProjectSource {
  private opening: Promise<McpProject> | undefined;

  constructor(private readonly open: () => Promise<McpProject>) {}

  current(): Promise<McpProject> {
    this.opening ??= this.open().catch((e) => {
      // What was missing may be there at the next question.
      this.opening = undefined;
      throw e;
    });
    return this.opening;
  }

  async close(): Promise<void> {
    const project = await this.opening?.catch(() => undefined);
    await project?.close();
  }
}

/** The project that the client has open, as it says itself (`roots/list`); where it says nothing, that of this process's folder. */
export class ClientRoots implements ProjectSource {
  private opened: { root: string; project: Promise<McpProject> } | undefined;
  private asked: Promise<string> | undefined;

  constructor(
    private readonly fallback: string,
    private readonly log: (text: string) => void,
  ) {}

  async current(server: Server): Promise<McpProject> {
    this.asked ??= this.ask(server);
    const root = await this.asked;
    if (this.opened?.root !== root) {
      const before = this.opened;
      const project = openMcpProject(root, this.log);
      const opened = { root, project };
      this.opened = opened;
      project.catch(() => {
        if (this.opened === opened) this.opened = undefined;
      });
      void before?.project.then((old) => old.close()).catch(() => undefined);
    }
    return (this.opened as NonNullable<typeof this.opened>).project;
  }

  rootsChanged(): void {
    this.asked = undefined;
  }

  async close(): Promise<void> {
    const project = await this.opened?.project.catch(() => undefined);
    await project?.close();
  }

  private async ask(server: Server): Promise<string> {
    if (server.getClientCapabilities()?.roots === undefined) return this.fallback;
    try {
      const { roots } = await server.listRoots(undefined, { timeout: ROOTS_MS });
      const dirs = roots.flatMap(({ uri }) => folderOf(uri));
      // Of several folders the one with a layer of its own; one project is served at a time.
      const chosen = dirs.find((dir) => existsSync(join(dir, '.xihe'))) ?? dirs[0];
      if (chosen === undefined) return this.fallback;
      if (dirs.length > 1) this.log(`客户端打开了 ${dirs.length} 个目录，用 ${chosen}；要别的就用 --repo 写明`);
      return projectAbove(chosen);
    } catch (e) {
      this.log(`客户端没有说打开了哪个目录（${(e as Error).message}），用 ${this.fallback}`);
      return this.fallback;
    }
  }
}

function folderOf(uri: string): string[] {
  try {
    const dir = fileURLToPath(uri);
    return statSync(dir).isDirectory() ? [dir] : [];
  } catch {
    return [];
  }
}
