/** `nearglot models list`. */

import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { fallbackOf } from '../protocol/index.ts';
import { listModels as listModelsRoute, listOwnModels } from '../protocol/routeAddresses.ts';
import { readArgs } from './args.ts';
import { type CommandIo, UsageError } from './command.ts';
import { byteText, table } from './textTable.ts';
import { unfinishedText } from './unfinishedText.ts';

export async function listModelsCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, { json: { type: 'boolean' } });
	if (options.positionals.length > 0) throw new UsageError('models list takes no argument.');
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	const { data } = await daemon.call(listModelsRoute, {}, { signal: io.signal });
	if (options.has('json')) {
		io.stdout.data(`${JSON.stringify(data, null, '\t')}\n`);
		return 0;
	}
	const { models, unfinished } = await daemon.call(listOwnModels, {}, { signal: io.signal });
	const memory = new Map(models.map(({ id, memoryBytes }) => [id, memoryBytes]));
	if (data.length === 0) io.stdout.write('No model is on this machine yet.\n');
	const rows = data.map((model) => [
		model.id,
		model.task,
		byteText(model.size_bytes),
		model.context_length === undefined ? '' : String(model.context_length),
		model.problem === undefined ? model.state : model.state === 'remote' ? 'away' : 'broken',
		byteText(memory.get(model.id)),
	]);
	if (data.length > 0)
		io.stdout.write(
			`${table([['MODEL', 'TASK', 'SIZE', 'CONTEXT', 'STATE', 'MEMORY'], ...rows])}\n`,
		);
	for (const model of data)
		if (model.problem !== undefined && model.state !== 'remote')
			io.stdout.write(`\n${model.id} cannot run: ${model.problem}\n`);
	const away = data.filter(({ state }) => state === 'remote').map(({ problem }) => problem);
	for (const problem of new Set(away)) if (problem !== undefined) io.stdout.write(`\n${problem}\n`);
	if (unfinished.length > 0) io.stdout.write(`\n${unfinishedText(unfinished)}\n`);
	const fault = fallbackOf(models);
	if (fault !== undefined) io.stdout.write(`\nWarning: ${fault.message}\n`);
	for (const { id, notices = [] } of models)
		for (const { kind, message } of notices)
			if (kind === 'note') io.stdout.write(`\n${id}: ${message}\n`);
	return 0;
}
