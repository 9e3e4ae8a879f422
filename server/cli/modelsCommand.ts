/** `nearglot models …`: finds the sub-command. Each lives in a file of its own. */

import { type Command, type CommandIo, UsageError } from './command.ts';
import {
	addFolderCommand,
	draftModelCommand,
	dropFolderCommand,
	importModelCommand,
	loadModelCommand,
	moveFolderCommand,
	pinModelCommand,
	refreshCatalogueCommand,
	removeModelCommand,
	unloadModelCommand,
	unpinModelCommand,
} from './modelsChange.ts';
import { modelInfoCommand } from './modelsInfo.ts';
import { listModelsCommand } from './modelsList.ts';
import { optimizeCommand } from './modelsOptimize.ts';
import { pullModelCommand } from './modelsPull.ts';
import { searchModelsCommand, whereModelsCommand } from './modelsSearch.ts';
import { shortlistCommand } from './modelsShortlist.ts';

type Run = (args: readonly string[], io: CommandIo) => Promise<number>;

/** Name → what it does and how it is loaded. To add one: a file `modelsX.ts` and a row here. */
const commands: Readonly<Record<string, { readonly summary: string; readonly run: Run }>> = {
	list: { summary: '[--json] models on this machine', run: listModelsCommand },
	search: {
		summary:
			'[WORDS] [--json] models that can be had; --hub WORDS: repositories of the hub; --task translation: Firefox’s translators',
		run: searchModelsCommand,
	},
	info: {
		summary:
			'FOLDER | NAME [--json]: what it is and whether it runs here; --compare TEXT: what exact activations change',
		run: modelInfoCommand,
	},
	pull: {
		summary:
			'NAME | OWNER/NAME[:FILE] [--path FOLDER] [--name N] [--precision P] [--revision R] [--plan] [--accept-license] [--json]',
		run: pullModelCommand,
	},
	load: {
		summary: 'NAME [--ttl SECONDS] [--ep PROVIDER] [--exact] [--keep]',
		run: loadModelCommand,
	},
	unload: { summary: 'NAME | --all [--force]', run: unloadModelCommand },
	remove: {
		summary: 'NAME [--unfinished]: deletes its files, or what an unfinished download or build left',
		run: removeModelCommand,
	},
	pin: { summary: 'NAME: never unloaded by itself', run: pinModelCommand },
	unpin: { summary: 'NAME', run: unpinModelCommand },
	where: { summary: '[NAME] folder of a model, or of all', run: whereModelsCommand },
	add: {
		summary: 'FOLDER: use a model, or another tool’s models, in place',
		run: addFolderCommand,
	},
	drop: { summary: 'FOLDER: stop using it; its files stay', run: dropFolderCommand },
	import: {
		summary:
			'FOLDER | ARCHIVE | FILE.gguf [--name N] [--plan]: copy a model in, or build one of weights',
		run: importModelCommand,
	},
	move: { summary: 'FOLDER: move all downloaded models there', run: moveFolderCommand },
	optimize: {
		summary: 'FOLDER [--bits 4|8] [--block N]: make a smaller, faster variant',
		run: optimizeCommand,
	},
	shortlist: {
		summary: 'FOLDER --text FILE [--from L --to L]: cheaper steps for a translation model',
		run: shortlistCommand,
	},
	draft: { summary: 'NAME DRAFT | none: a small model that drafts for it', run: draftModelCommand },
	refresh: { summary: 'ask the hub for sizes and licences', run: refreshCatalogueCommand },
};

const rows = Object.entries(commands).map(
	([name, { summary }]) => `  ${name.padEnd(9)} ${summary}`,
);

export const modelsCommand: Command = {
	name: 'models',
	summary: 'List, find, download, load and remove models.',
	help: `Usage: nearglot models COMMAND [OPTIONS]\n\n${rows.join('\n')}\n`,
	run: async ([name = 'list', ...rest], io) => {
		const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
		if (!command)
			throw new UsageError(
				`There is no 'models ${name}'. Known: ${Object.keys(commands).join(', ')}.`,
			);
		return command.run(rest, io);
	},
};
