/**
 * Arguments of a call lie on the stack: a list that is spread into one (`push(...list)`,
 * `Math.max(...list)`) ends the call with a RangeError from some 100,000 values on.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { largestOf, pushAll } from '../../server/protocol/lists.ts';
import { isNode, type Node, nodesOf, sourcesOf, treeOf } from './syntax.ts';

/** Files that spread short lists only, and why those are short. */
const short: Readonly<Record<string, string>> = {
	'extension/actions/diagnose.ts': 'faults of one check',
	'extension/ai/commitMessage.ts': 'models of the owner',
	'extension/commands.ts': 'commands of this program',
	'extension/models/modelActions.ts': 'buttons of a message',
	'extension/notify.ts': 'buttons of a message',
	'server/audio/audioFormat.ts': 'the name of a format',
	'server/audio/containerLength.ts': 'four bytes',
	'server/audio/flac.ts': 'ways in which a stream begins',
	'server/audio/concatenatedRecordings.ts': 'four bytes',
	'server/audio/mpegFrame.ts': 'four bytes',
	'server/audio/oggOpus.ts': 'the name of a header',
	'server/audio/oggPages.ts': 'four bytes',
	'server/audio/plainSamples.ts': 'the longest header that is known',
	'server/audio/voiceActivity.ts': 'frames of a moment',
	'server/audio/wavHeader.ts': 'four bytes',
	'server/cli/command.ts': 'options of a command',
	'server/daemon/folderThread.ts': 'parameters of a function of this program',
	'server/daemon/folderWorker.ts': 'parameters of a function of this program',
	'server/engine/decode/packedDecoder.ts': 'sequences of a batch',
	'server/engine/decode/readSteps.ts': 'sequences of a batch',
	'server/engine/embed/embedder.ts': 'sequences of a batch',
	'server/engine/engine.ts': 'a grammar and its kind',
	'server/engine/modelFiles/modelSizes.ts': 'two limits',
	'server/engine/grammar/compileConstraint.ts': 'a grammar and its kind',
	'server/engine/grammar/numberRange.ts': 'digits of a number',
	'server/engine/onnx/fuseAttention.ts': 'nodes that replace one layer',
	'server/engine/onnx/quantizePerToken.ts': 'nodes that replace one',
	'server/engine/onnx/shortlistHead.ts': 'nodes that replace one',
	'server/engine/runtime/capi.ts': 'arguments of functions of the library',
	'server/engine/verify/compareRuntimes.ts': 'values of the graph of this program',
	'server/engine/schedule/generation.ts': 'tokens of one step',
	'server/engine/seq2seq/encodePadded.ts': 'sequences of a batch',
	'server/engine/seq2seq/lockstepBatch.ts': 'sequences of a batch',
	'server/engine/seq2seq/readGraphs.ts': 'sequences of a batch',
	'server/engine/seq2seq/search.ts': 'beams of a search',
	'server/engine/speech/whisper/whisper.ts': 'tokens that fit before a stretch',
	'server/engine/template/toolCallParser.ts': 'ways in which calls begin',
	'server/engine/tokenizer/byteLevel.ts': 'bytes of a character',
	'server/gateway/config/parseSettings.ts': 'faults of the settings of the owner',
	'server/gateway/store/sqliteStore.ts': 'columns of a row',
	'server/protocol/localisedErrors.ts': 'values of a sentence',
	'server/protocol/routes/messageFields.ts': 'roles of messages',
	'server/protocol/routes/people.ts': 'what a key may be for',
	'server/protocol/routes/realtime.ts': 'formats of sound',
	'server/protocol/routes/recorder.ts': 'states of a recording',
	'server/protocol/routes/upstreamEngines.ts': 'what an engine may be used for',
	'server/protocol/routes/status.ts': 'readers of notices',
	'server/http/translate/translateInput.ts': 'names in an address',
	'extension/chat/openReference.ts': 'parts of a path',
	'server/http/translate/translateInputs.ts': 'answers for one group',
	'server/hub/names.ts': 'parts of a path',
	'server/jobs/sqliteQueue.ts': 'values of one statement, as it is written there',
	'server/lsp/languageServer.ts': 'parameters of a request',
	'server/lsp/workspace/indexDatabase.ts': 'values of one statement, as it is written there',
	'server/lsp/glossaries.ts': 'values of a message',
	'server/lsp/registerSpeech.ts': 'parameters of a request',
	'server/protocol/conversation.ts': 'calls of a message, whose number is limited',
	'server/protocol/transcriptSession.ts': 'lines of one stretch of speech',
	'server/remote/hostedTranslator.ts': 'answers for one part',
	'server/services/limits/usageDatabase.ts': 'fields of a row',
	'server/services/responses/answerDatabase.ts': 'values of one statement, as it is written there',
	'server/services/responses/answerRows.ts': 'values of one statement, as its caller wrote them',
	'server/services/responses/builder.ts': 'tokens of one piece',
	'server/services/chat/grammar/regexPart.ts': 'ranges of one named class',
	'server/services/text/completionService.ts': 'answers to one request',
	'server/services/speech/vadChunks.ts': 'three frames',
	'server/services/speech/transcriptBuilder.ts': 'tokens of one stretch of speech',
	'server/translate/documents/icuBranches.ts': 'one or two texts',
	'server/translate/documents/plainTextDocument.ts': 'one piece or none',
	'server/translate/documents/poDocument.ts': 'one or two texts',
	'server/translate/languageWorker.ts': 'parameters of a function of this program',
	'server/translate/scripts/pinyinInput.ts': 'a table of this program',
	'server/translate/scripts/scriptTables.ts': 'a table of this program',
};

/** Calls that take a list for their arguments, as code. */
function spreadCalls(source: string): string[] {
	const { tree, code } = treeOf(source);
	const found: string[] = [];
	for (const node of nodesOf(tree)) {
		if (node.type !== 'CallExpression' && node.type !== 'NewExpression') continue;
		const callee = node['callee'];
		const name = isNode(callee) ? code.slice(callee.start, callee.end) : '';
		const given = node['arguments'] as Node[];
		const spreads = given.some(({ type }) => type === 'SpreadElement');
		// An own class of events has an `apply`, too, which takes one argument.
		const applies = /(^Reflect|\.prototype\.\w+|^Math\.\w+|^String\.\w+)\.(apply|construct)$/.test(
			name,
		);
		if (spreads || applies) found.push(name);
	}
	return found;
}

test('calls that take a list for their arguments are told from those that do not', () => {
	for (const code of [
		'list.push(...more);',
		'Math.max(0, ...values);',
		'String.fromCharCode.apply(null, bytes);',
		'new Map(...pairs);',
	])
		assert.notDeepEqual(spreadCalls(code), [], code);
	for (const code of ['pushAll(list, more);', 'const all = [...some, ...more];', 'f({ ...a });'])
		assert.deepEqual(spreadCalls(code), [], code);
});

test('no list without an end is spread into a call', () => {
	const faults: string[] = [];
	const unused = new Set(Object.keys(short));
	for (const { path, text } of sourcesOf('server', 'extension'))
		for (const callee of spreadCalls(text)) {
			unused.delete(path);
			if (short[path] === undefined) faults.push(`${path}: ${callee}(...)`);
		}
	assert.deepEqual(faults, []);
	assert.deepEqual([...unused], [], 'files without such calls need no exception');
});

test('lists of any length are joined and compared', () => {
	const many = Array.from({ length: 300_000 }, (_, at) => at);
	const list = [7];
	pushAll(list, many);
	assert.equal(list.length, 300_001);
	assert.equal(largestOf(many, 5), 299_999);
	assert.equal(largestOf([], 5), 5);
});
