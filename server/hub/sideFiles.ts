/** The small files that go with a model, one list for all who fetch, read or keep them: settings, tokenizer, templates, licence. */

import { checkFileLimit, limitsOf } from './modelData/fileLimits.ts';
import type { HubFile } from './repository.ts';

const names =
	/^(config|generation_config|tokenizer|tokenizer_config|special_tokens_map|added_tokens|vocab|preprocessor_config|processor_config|modules|sentence_bert_config|config_sentence_transformers)\.json$|^chat_template\.(jinja|json)$|^[^/]+\.(spm|tiktoken)$|^(merges|vocab)\.txt$|^(LICENSE|LICENCE|NOTICE|USE_POLICY)(\.(md|txt))?$|^1_Pooling\/config\.json$|^additional_chat_templates\/[A-Za-z0-9_-]+\.jinja$/i;
const tokenizerModel = /^(tokenizer|sentencepiece\.bpe|spiece)\.model$/;
/** What says how tensors are packed: read while a model is built, and of no use later. */
const ofWeights = /^(quantize_config|quant_config|model\.safetensors\.index)\.json$/;
/** What exports have besides. */
const ofExports = /^(genai_config|inference_model)\.json$|^[^/]+\.model$/;

const licences = /^(LICENSE|LICENCE|NOTICE|USE_POLICY)(\.(md|txt))?$/i;

/** Whether a path in a repository is what its publisher wants to go with the model. */
export const isLicenceFile = (path: string): boolean => licences.test(path);

/** The same of a GGUF file, which has all else in itself. */
export const isGgufSide = (path: string): boolean =>
	isLicenceFile(path) || isGenerationConfig(path);

/** How the publisher would have answers drawn and ended. */
export const isGenerationConfig = (path: string): boolean => path === 'generation_config.json';

/** Whether a path in a model's folder, with `/` between folders and file, is such a file. */
export const isSideFile = (path: string): boolean => names.test(path) || tokenizerModel.test(path);

/** The same, and what is read while a model is built. */
export const isBuildSide = (path: string): boolean => isSideFile(path) || ofWeights.test(path);

/** The same of an export. */
export const isExportSide = (path: string): boolean => isSideFile(path) || ofExports.test(path);

/** Without them there is no model. */
const needed = /^(config|tokenizer)\.json$/;

/**
 * Files of a folder of a repository, by their paths in it; those that would not be read are left out.
 * @throws AppError `unsupported_model` where that is one without which there is no model
 */
export function readableFiles(
	files: readonly HubFile[],
	root: string,
	isWanted: (path: string) => boolean,
): HubFile[] {
	const start = root === '' ? '' : `${root}/`;
	return files.filter(({ path, sizeBytes }) => {
		const name = path.slice(start.length);
		if (!path.startsWith(start) || !isWanted(name)) return false;
		const { maxBytes } = limitsOf(path);
		if (needed.test(name)) checkFileLimit(path, 'bytes', sizeBytes, maxBytes);
		return sizeBytes <= maxBytes;
	});
}
