/** `nearglot models …`: finds the sub-command. Each lives in a file of its own. */

import { type Command, type CommandIo, UsageError } from './command.ts';
import { listModels } from './modelsList.ts';

type Run = (args: readonly string[], io: CommandIo) => Promise<number>;

/** Name → what it does and how it is loaded. To add one: a file `modelsX.ts` and a row here. */
const commands: Readonly<Record<string, { readonly summary: string; readonly run: Run }>> = {
	list: { summary: 'models on this machine', run: listModels },
};

const rows = Object.entries(commands).map(
	([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`,
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
