/** `nearglot translate`: text from the arguments or from standard input, through the daemon. */

import { findOrStartDaemon } from '../daemon/client.ts';
import { splitSentences } from '../translate/sentences.ts';
import { readArgs, readStdin } from './args.ts';
import { type Command, UsageError } from './command.ts';
import { type Ask, isDocument, translateFile, translateInto } from './translateFile.ts';

const help = `
Usage: nearglot translate [TEXT|-] --to LANGUAGE[,LANGUAGE…] [OPTIONS]
       nearglot translate FILE --to LANGUAGE[,LANGUAGE…] [--out PATH] [--force]
       nearglot translate FILE --to LANGUAGE --into TRANSLATED-FILE

Translates text with the models on this machine. Without TEXT, or with -, the text
comes from standard input. Of a FILE (Markdown, HTML, JSON, ARB, YAML, XLIFF, po,
properties, srt, vtt, txt) only the words are translated; code, placeholders, keys and
times stay, and messages with plural forms get those of the target language.

  --to LANGUAGE      target language, several with commas: --to de,fr
  --from LANGUAGE    source language; it is detected when not given
  --html             the text is HTML: tags stay, marked content is left alone
  --category NAME    use a custom system (see: nearglot systems --help)
  --engine NAME      local, team or hosted: who translates, for this call
  --out PATH         where a FILE's translation goes; {to} stands for the language
  --into PATH        a translated message file (JSON, ARB, YAML, properties, po): only what
                     it lacks is translated and added to it
  --force            replace files that exist
  --json             the whole answer as JSON, as the translate interface gives it
  --align            with --json: which word became which
  --help             this text

Examples:
  nearglot translate "The file could not be opened." --to de
  nearglot translate README.md --to de,fr --out "README.{to}.md"
  nearglot translate locales/en.json --to de --into locales/de.json
  git log -1 --format=%B | nearglot translate --to fr
`;

export const translateCommand: Command = {
	name: 'translate',
	summary: 'Translate text.',
	help,
	run: async (args, io) => {
		const options = readArgs(args, {
			to: { type: 'string', multiple: true },
			from: { type: 'string' },
			html: { type: 'boolean' },
			json: { type: 'boolean' },
			align: { type: 'boolean' },
			category: { type: 'string' },
			engine: { type: 'string' },
			out: { type: 'string' },
			into: { type: 'string' },
			force: { type: 'boolean' },
		});
		const targets = options
			.texts('to')
			.flatMap((list) => list.split(','))
			.map((to) => to.trim())
			.filter((to) => to !== '');
		if (targets.length === 0) throw new UsageError('Say into which language: --to de');
		if (options.positionals.length > 1)
			throw new UsageError('Put the text in quotes: nearglot translate "two words" --to de');
		const [given] = options.positionals;
		const document = given !== undefined && given !== '-' && (await isDocument(given));
		const into = options.text('into');
		if (
			!document &&
			(options.text('out') !== undefined || into !== undefined || options.has('force'))
		)
			throw new UsageError('--out, --into and --force go with a FILE.');
		if (into !== undefined && (targets.length > 1 || options.text('out') !== undefined))
			throw new UsageError('--into takes one language and no --out.');
		const text = document
			? given
			: given === undefined || given === '-'
				? await readStdin(io.stdin)
				: given;
		if (text.trim() === '') throw new UsageError('There is no text to translate.');

		const query = new URLSearchParams({ 'api-version': '3.0', to: targets.join(',') });
		const from = options.text('from');
		if (from !== undefined) query.set('from', from);
		const category = options.text('category');
		if (category !== undefined) query.set('category', category);
		const engine = options.text('engine');
		if (engine !== undefined) query.set('engine', engine);
		if (options.has('html')) query.set('textType', 'html');
		if (options.has('align')) query.set('includeAlignment', 'true');
		const daemon = await findOrStartDaemon(
			{
				env: io.env,
				onStarting: () => {
					if (io.stderr.isTTY) io.stderr.write('Starting the Nearglot daemon …\n');
				},
			},
			io.signal,
		);
		// The private path: rules for callers from elsewhere (keys, virtual network) do not concern it.
		const path = '/nearglot/translator/translate';
		const ask = async (part: string): Promise<readonly Answer[]> => {
			const response = await daemon.post(`${path}?${query}`, [{ Text: part }], io.signal);
			return parseAnswer(await response.json());
		};
		if (document) {
			const many: Ask = async (texts, to) => {
				query.set('to', to);
				const body = texts.map((Text) => ({ Text }));
				const response = await daemon.post(`${path}?${query}`, body, io.signal);
				return parseAnswer(await response.json()).map((item) => item.translations[0]?.text ?? '');
			};
			const [to] = targets;
			if (into !== undefined && to !== undefined) return translateInto(given, into, to, many, io);
			return translateFile(given, targets, options.text('out'), options.has('force'), many, io);
		}
		if (options.has('json')) {
			io.stdout.write(`${JSON.stringify(await ask(text), null, 2)}\n`);
			return 0;
		}
		// A long text goes in parts; with one target each part is printed as soon as it is there.
		const parts = options.has('html') ? [text] : cut(text, mostCharacters / targets.length);
		const whole = new Map<string, string>();
		let last = '';
		for (const part of parts) {
			for (const { to, text: translated } of (await ask(part))[0]?.translations ?? []) {
				last = translated;
				if (targets.length === 1) io.stdout.write(translated);
				else whole.set(to, (whole.get(to) ?? '') + translated);
			}
		}
		if (targets.length === 1 && !last.endsWith('\n')) io.stdout.write('\n');
		for (const [to, translated] of whole)
			io.stdout.write(`${to}: ${translated}${translated.endsWith('\n') ? '' : '\n'}`);
		return 0;
	},
};

/** What a request may hold, times its targets, with room to spare. */
const mostCharacters = 40_000;

/** Cuts a text between sentences into parts of at most `limit` units where it can. */
function cut(text: string, limit: number): string[] {
	if (text.length <= limit) return [text];
	const parts: string[] = [];
	let from = 0;
	let end = 0;
	for (const [start, stop] of splitSentences(text, 'en')) {
		if (stop - from > limit && start > from) {
			parts.push(text.slice(from, start));
			from = start;
		}
		end = stop;
	}
	return [...parts, text.slice(from, end)];
}

interface Answer {
	readonly translations: readonly { readonly to: string; readonly text: string }[];
}

function parseAnswer(value: unknown): readonly Answer[] {
	if (!Array.isArray(value)) throw new Error('The daemon sent an answer that is not understood.');
	return value as readonly Answer[];
}
