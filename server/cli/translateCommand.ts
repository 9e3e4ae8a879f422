/** `nearglot translate`: text from the arguments or from standard input, through the daemon. */

import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { archiveTypeOf } from '../protocol/archiveTypes.ts';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { detect, ownTranslatorPath, translate } from '../protocol/routeAddresses.ts';
import { Client } from '../protocol/routeClient.ts';
import { textBatches } from '../protocol/textBatches.ts';
import { cutText } from '../translate/cutText.ts';
import { type DetectedText, detectedText } from '../translate/detectedText.ts';
import type { TextComments, TextTranslator } from '../translate/documents/documentLanguage.ts';
import { readArgs, readStdin } from './args.ts';
import { type Command, UsageError } from './command.ts';
import { meaningOf, noFile } from './namedFile.ts';
import { translateArchive } from './translateArchive.ts';
import { translateFile, translateInto } from './translateFile.ts';
import { newUsedSystems } from './usedSystems.ts';

const help = `
Usage: nearglot translate [TEXT|-] --to LANGUAGE[,LANGUAGE…] [OPTIONS]
       nearglot translate FILE --to LANGUAGE[,LANGUAGE…] [--out PATH] [--force]
       nearglot translate FILE --to LANGUAGE --into TRANSLATED-FILE

Translates text with the models on this machine. Without TEXT, or with -, the text
comes from standard input. Of a FILE (Markdown, HTML, AsciiDoc, rst,
ipynb, txt, srt, vtt, JSON, ARB, YAML, TOML, CSV, XLIFF, po, properties, resx, strings,
xcstrings, Android strings.xml, Qt ts, Fluent, PHP; docx, pptx, xlsx, odt, odp, ods, epub)
only the words are translated; code, placeholders, keys and times stay, and messages with
plural forms get those of the target language. Texts that cannot be translated stay as
they are and are named at the end.

  --to LANGUAGE      target language, several with commas: --to de,fr
  --from LANGUAGE    source language; when not given it is detected, once for a FILE
  --html             the text is HTML: tags stay, marked content is left alone
  --system NAME      who translates: a custom system, a model, or a chat model (chat for the
                     best one here, chat:MODEL); see: nearglot systems list
  --tone TONE        formal, informal or neutral; chat models only
  --gender GENDER    female, male or neutral: of the people meant; chat models only
  --engine NAME      local, team or hosted: who translates, for this call
  --out PATH         where a FILE's translation goes; {to} stands for the language. Without
                     it texts go to standard output, guide.docx becomes guide.de.docx
  --into PATH        a translated message file (JSON, ARB, YAML, properties, po): only what
                     it lacks is translated and added to it
  --column NAME      of a CSV or TSV file, a column with words; again for each. Without it
                     the empty cells of the target language's column are filled
  --force            replace files that exist
  --json             the whole answer as JSON, as the translate interface gives it
  --align            with --json: which word became which
  --help             this text

Examples:
  nearglot translate "The file could not be opened." --to de
  nearglot translate README.md --to de,fr --out "README.{to}.md"
  nearglot translate locales/en.json --to de --into locales/de.json
  git log -1 --format=%B | nearglot translate --to fr
  nearglot translate README.md --to ja --system chat --out README.ja.md
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
			system: { type: 'string' },
			category: { type: 'string' },
			tone: { type: 'string' },
			gender: { type: 'string' },
			engine: { type: 'string' },
			out: { type: 'string' },
			into: { type: 'string' },
			force: { type: 'boolean' },
			column: { type: 'string', multiple: true },
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
		const meaning = given === undefined || given === '-' ? 'text' : await meaningOf(given);
		if (given !== undefined && (meaning === 'folder' || meaning === 'missing'))
			throw new AppError('not_found', noFile(given, meaning));
		const document = given !== undefined && meaning === 'file';
		const into = options.text('into');
		if (
			!document &&
			(options.text('out') !== undefined || into !== undefined || options.has('force'))
		)
			throw new UsageError('--out, --into and --force go with a FILE.');
		if (into !== undefined && (targets.length > 1 || options.text('out') !== undefined))
			throw new UsageError('--into takes one language and no --out.');
		const columns = options.texts('column');
		if (columns.length > 0 && (!document || into !== undefined || !/\.[ct]sv$/i.test(given)))
			throw new UsageError('--column goes with a CSV or TSV file, and without --into.');
		const text = document
			? given
			: given === undefined || given === '-'
				? await readStdin(io.stdin)
				: given;
		if (text.trim() === '') throw new UsageError('There is no text to translate.');

		const from = options.text('from');
		const query = {
			'api-version': '3.0',
			to: targets.join(','),
			from,
			category: systemOf(options.text('system'), options.text('category')),
			tone: options.text('tone'),
			gender: options.text('gender'),
			engine: options.text('engine'),
			textType: options.has('html') ? 'html' : undefined,
			includeAlignment: options.has('align') ? 'true' : undefined,
		};
		const daemon = await findOrStartDaemon(
			{
				env: io.env,
				onStarting: () => {
					if (io.stderr.isTTY) io.stderr.write('Starting the model server …\n');
				},
			},
			io.signal,
		);
		const used = newUsedSystems();
		const client = new Client(async (path, init) =>
			used.note(await daemon.request(ownTranslatorPath + path, init)),
		);
		const { signal } = io;
		const ask = async (
			texts: readonly string[],
			more: Partial<typeof query> = {},
			comments: TextComments = [],
		) => {
			const body = texts.map((Text, index) => ({ Text, ...defined({ Comment: comments[index] }) }));
			const input = { query: { ...query, ...more }, body };
			return client.call(translate, input, { signal });
		};
		if (document) {
			const translatorInto = (target: string): TextTranslator => ({
				detect: async (texts) => {
					const found: DetectedText[] = [];
					for (const batch of textBatches(texts, maxBatch)) {
						const body = batch.map((Text) => ({ Text }));
						const input = { query: { 'api-version': '3.0' }, body };
						found.push(...(await client.call(detect, input, { signal })).map(detectedText));
					}
					return found;
				},
				translate: async (texts, source, comments = []) => {
					const pair = { to: target, from: source };
					const made: string[] = [];
					for (const batch of textBatches(texts, maxBatch))
						made.push(
							...(await ask(batch, pair, comments.slice(made.length))).map(
								(item) => item.translations[0]?.text ?? '',
							),
						);
					return made;
				},
			});
			const [to] = targets;
			const languages = from === undefined ? {} : { from };
			const files = {
				path: given,
				out: options.text('out'),
				force: options.has('force'),
				...(columns.length > 0 ? { columns } : {}),
			};
			const translateWhole = archiveTypeOf(given) === undefined ? translateFile : translateArchive;
			const status =
				into !== undefined && to !== undefined
					? await translateInto(given, into, { to, ...languages }, translatorInto(to), io)
					: await translateWhole(files, { targets, ...languages }, translatorInto, io);
			used.tell(io);
			return status;
		}
		if (options.has('json')) {
			io.stdout.data(`${JSON.stringify(await ask([text]), null, 2)}\n`);
			if (query.category !== undefined) used.tell(io);
			return 0;
		}
		// A long text goes in parts; with one target each part is printed as soon as it is there.
		const parts = options.has('html')
			? [text]
			: cutText(text, maxCharacters / targets.length, from ?? 'en');
		const whole = new Map<string, string>();
		let last = '';
		let source = from;
		for (const part of parts) {
			const [answer] = await ask([part], { from: source });
			// A long text is of one language: what its first part is in.
			source = answer?.detectedLanguage?.language ?? source;
			for (const { to, text: translated } of answer?.translations ?? []) {
				last = translated;
				if (targets.length === 1) io.stdout.data(translated);
				else whole.set(to, (whole.get(to) ?? '') + translated);
			}
		}
		if (targets.length === 1 && !last.endsWith('\n')) io.stdout.write('\n');
		for (const [to, translated] of whole)
			io.stdout.data(`${to}: ${translated}${translated.endsWith('\n') ? '' : '\n'}`);
		if (query.category !== undefined) used.tell(io);
		return 0;
	},
};

/** `--system` is what requests call a category; either name will do. */
function systemOf(system: string | undefined, category: string | undefined): string | undefined {
	if (system !== undefined && category !== undefined && system !== category)
		throw new UsageError('--system and --category are the same; give one of them.');
	return system ?? category;
}

/** What a request may hold, times its targets, with room to spare. */
const maxCharacters = 40_000;
const maxBatch = { texts: 100, characters: maxCharacters };
