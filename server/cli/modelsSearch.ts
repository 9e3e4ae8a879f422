/** `nearglot models search [WORDS]` and `nearglot models where [NAME]`. */

import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { defined } from '../protocol/defined.ts';
import { hubTokenHeader } from '../protocol/hubToken.ts';
import { findModel, nearNamesHint } from '../protocol/index.ts';
import { listOwnModels, modelsLocation, searchHubModels } from '../protocol/routeAddresses.ts';
import { absentModelText } from './absentModel.ts';
import { readArgs } from './args.ts';
import { type CommandIo, UsageError } from './command.ts';
import { hubOf } from './hubChoice.ts';
import { byteText, table } from './textTable.ts';

/** Models whose name, publisher, task or language has every word. */
export async function searchModelsCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, {
		json: { type: 'boolean' },
		hub: { type: 'boolean' },
		task: { type: 'string' },
	});
	const words = options.positionals.map((word) => word.toLowerCase());
	const task = options.text('task');
	if (options.has('hub') || task === 'translation')
		return searchPublished({ words, isTask: task === 'translation' }, options.has('json'), io);
	if (task !== undefined)
		throw new UsageError(`models search --task knows translation, not ${JSON.stringify(task)}.`);
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	const { models } = await daemon.call(listOwnModels, {}, { signal: io.signal });
	const found = models.filter((model) => {
		const text = [model.id, model.alias, model.displayName, model.publisher, model.task]
			.concat(model.languages ?? [])
			.join(' ')
			.toLowerCase();
		return words.every((word) => text.includes(word));
	});
	if (options.has('json')) {
		io.stdout.data(`${JSON.stringify(found, null, '\t')}\n`);
		return 0;
	}
	if (found.length === 0) {
		const near = nearNamesHint(
			models.map(({ alias }) => alias),
			words.join('-'),
		);
		io.stderr.write(`No model matches ${words.join(' ')}.${near}\n`);
		return 1;
	}
	const rows = found.map((model) => [
		model.alias,
		model.id,
		model.task,
		byteText(model.sizeBytes),
		model.license,
		model.state,
	]);
	io.stdout.write(`${table([['ALIAS', 'MODEL', 'TASK', 'SIZE', 'LICENCE', 'STATE'], ...rows])}\n`);
	return 0;
}

/** Repositories of the hub whose models run here, or only translation models of Firefox's list. */
async function searchPublished(
	{ words: given, isTask }: { readonly words: readonly string[]; readonly isTask: boolean },
	asJson: boolean,
	io: CommandIo,
): Promise<number> {
	const words = given.join(' ');
	if (words === '' && !isTask) throw new UsageError('models search --hub takes words to look for.');
	const { hub, token } = hubOf(io.env);
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	const query = {
		...(words === '' ? {} : { q: words }),
		...(isTask ? { task: 'translation' as const } : {}),
		...defined({ hub }),
	};
	const headers = token === undefined ? {} : { [hubTokenHeader]: token };
	const { models } = await daemon.call(searchHubModels, { query, headers }, { signal: io.signal });
	if (asJson) {
		io.stdout.data(`${JSON.stringify(models, null, '\t')}\n`);
		return 0;
	}
	if (models.length === 0) {
		io.stderr.write(
			isTask
				? `No translation model has ${words}.\n`
				: `The hub has no model with ${words} that runs here.\n`,
		);
		return 1;
	}
	if (isTask) {
		const rows = models.map(({ repository, title = '', sizeBytes, license = '' }) => [
			repository,
			title,
			byteText(sizeBytes),
			license,
		]);
		io.stdout.write(`${table([['MODEL', 'TRANSLATES', 'SIZE', 'LICENCE'], ...rows])}\n`);
		return 0;
	}
	const rows = models.map(({ repository, formats: [best], task, license, downloads, isGated }) => [
		repository,
		best === 'onnx' ? 'ready' : `built of ${best ?? ''}`,
		task ?? '',
		isGated ? `${license ?? ''} (terms to accept)`.trim() : (license ?? ''),
		downloads?.toLocaleString('en') ?? '',
	]);
	io.stdout.write(`${table([['REPOSITORY', 'COMES', 'TASK', 'LICENCE', 'DOWNLOADS'], ...rows])}\n`);
	return 0;
}

/** The folder of a model, or of all models. */
export async function whereModelsCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, {});
	const [name, ...more] = options.positionals;
	if (more.length > 0) throw new UsageError('models where takes at most one model.');
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	if (name === undefined) {
		const { location } = await daemon.call(modelsLocation, {}, { signal: io.signal });
		io.stdout.data(`${location}\n`);
		return 0;
	}
	const { models } = await daemon.call(listOwnModels, {}, { signal: io.signal });
	const model = findModel(
		models.filter(({ folder }) => folder !== undefined),
		name,
	);
	if (model?.folder === undefined) {
		io.stderr.write(`${absentModelText(name, models)}\n`);
		return 1;
	}
	io.stdout.data(`${model.folder}\n`);
	return 0;
}
