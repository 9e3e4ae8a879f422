/** `nearglot models …`: finds the sub-command. Each lives in a file of its own. */

import { type Command, type CommandIo, UsageError } from './command.ts';
import {
	addFolder,
	draftModel,
	dropFolder,
	importModel,
	loadModel,
	moveFolder,
	pinModel,
	refreshCatalogue,
	removeModel,
	unloadModel,
	unpinModel,
} from './modelsChange.ts';
import { infoModel } from './modelsInfo.ts';
import { listModels } from './modelsList.ts';
import { optimizeFolder } from './modelsOptimize.ts';
import { pullModel } from './modelsPull.ts';
import { searchModels, whereModels } from './modelsSearch.ts';
import { shortlistFolder } from './modelsShortlist.ts';

type Run = (args: readonly string[], io: CommandIo) => Promise<number>;

/** Name → what it does and how it is loaded. To add one: a file `modelsX.ts` and a row here. */
const commands: Readonly<Record<string, { readonly summary: string; readonly run: Run }>> = {
	list: { summary: 'models on this machine', run: listModels },
	search: { summary: '[WORDS] models that can be had', run: searchModels },
	info: { summary: 'FOLDER | NAME [--json]: what it is and whether it runs here', run: infoModel },
	pull: {
		summary: 'NAME | OWNER/NAME [--path FOLDER] [--name N] [--precision P] [--revision R]',
		run: pullModel,
	},
	load: { summary: 'NAME [--ttl SECONDS] [--ep PROVIDER] [--keep]', run: loadModel },
	unload: { summary: 'NAME | --all [--force]', run: unloadModel },
	remove: { summary: 'NAME: deletes its files', run: removeModel },
	pin: { summary: 'NAME: never unloaded by itself', run: pinModel },
	unpin: { summary: 'NAME', run: unpinModel },
	where: { summary: '[NAME] folder of a model, or of all', run: whereModels },
	add: { summary: 'FOLDER: use a model, or another tool’s models, in place', run: addFolder },
	drop: { summary: 'FOLDER: stop using it; its files stay', run: dropFolder },
	import: { summary: 'FOLDER | ARCHIVE [--name N]: copy a model in', run: importModel },
	move: { summary: 'FOLDER: move all downloaded models there', run: moveFolder },
	optimize: {
		summary: 'FOLDER [--bits 4|8] [--block N]: make a smaller, faster variant',
		run: optimizeFolder,
	},
	shortlist: {
		summary: 'FOLDER --text FILE [--from L --to L]: cheaper steps for a translation model',
		run: shortlistFolder,
	},
	draft: { summary: 'NAME DRAFT | none: a small model that drafts for it', run: draftModel },
	refresh: { summary: 'ask the hub for sizes and licences', run: refreshCatalogue },
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
