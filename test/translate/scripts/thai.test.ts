/** Thai words as dictionaries and road signs have them in the Royal Thai General System. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latinFromThai } from '../../../server/translate/scripts/thai.ts';

/** Word and reading without the spaces between its parts. */
const everyday =
	'ประเทศไทย prathetthai, สวัสดี sawatdi, เชียงใหม่ chiangmai, ภูเก็ต phuket, ' +
	'อยุธยา ayutthaya, นครราชสีมา nakhonratchasima, ขอบคุณ khopkhun, คน khon, ' +
	'ภาษาไทย phasathai, หนังสือ nangsue, โรงเรียน rongrian, รถไฟ rotfai, น้ำ nam, ' +
	'ใหม่ mai, เมือง mueang, เดือน duean, แม่น้ำ maenam, สนามบิน sanambin, ตลาด talat, ' +
	'ถนน thanon, ขนม khanom, หมา ma, แมว maeo, เด็ก dek, ผู้หญิง phuying, อาหาร ahan, ' +
	'ข้าว khao, กาแฟ kafae, เย็น yen, วันจันทร์ wanchan, พระ phra, ราคา rakha, ' +
	'เท่าไร thaorai, เขียว khiao, ขาว khao, แดง daeng, น้ำเงิน namngoen, เดิน doen, ' +
	'เธอ thoe, เลย loei, ด้วย duai, สวย suai, กล้วย kluai, ตัว tua, เรา rao, เขา khao, ' +
	'และ lae, ไม่ mai, ใช่ chai, จริง ching, ทราบ sap, สระ sa, ศรี si, กรรม kam, ' +
	'พรรค phak, ธรรม tham, ชาติ chat, มิตร mit, จักร chak, สัตว์ sat, ศุกร์ suk, ' +
	'เพชร phet, บุรี buri, อังกฤษ angkrit, พฤษภาคม phruetsaphakhom, ' +
	'มหาวิทยาลัย mahawitthayalai, กรุงเทพมหานคร krungthepmahanakhon, แสดง sadaeng, ' +
	'เสมอ samoe, เจริญ charoen, ควร khuan, สวน suan, ตำรวจ tamruat, สวรรค์ sawan, ' +
	'อร่อย aroi, อยู่ yu, อยาก yak, อย่าง yang, ก็ ko, พ่อ pho, สอง song, มาก mak, ' +
	'ไฟล์ fai, ข้อมูล khomun, คอมพิวเตอร์ khomphiotoe, โปรแกรม prokraem, เปิด poet, ' +
	'ปิด pit, บันทึก banthuek, ลบ lop, ค้นหา khonha, ตั้งค่า tangkha, หน้าต่าง natang, ' +
	'แก้ไข kaekhai, ยกเลิก yokloek, ตกลง toklong, ช่วยเหลือ chuailuea, ' +
	'ผิดพลาด phitphlat, ฤดู ruedu, ฤทธิ์ rit, ทฤษฎี thritsadi, สมุทร samut, ' +
	'ประวัติศาสตร์ prawattisat, รัฐบาล ratthaban, สถานี sathani, ต่างๆ tangtang, ' +
	'๑๒๓ 123, พิพิธภัณฑ์ phiphitthaphan, กรกฎาคม karakadakhom, เกษตร kaset, ' +
	'หลวง luang, เหล็ก lek, แหลม laem, ใหญ่ yai, เพราะ phro, เกาะ ko, เล็ก lek, ' +
	'เงิน ngoen, ครับ khrap, ค่ะ kha, ผม phom, ฉัน chan, หัวหิน huahin, ' +
	'พัทยา phatthaya, ขอนแก่น khonkaen, สุโขทัย sukhothai, ลพบุรี lopburi, ' +
	'ชลบุรี chonburi, กระบี่ krabi, เพชรบุรี phetchaburi';
const provinces =
	'ขอโทษ khothot, โรงพยาบาล rongphayaban, ตำบล tambon, อำเภอ amphoe, ' +
	'จังหวัด changwat, สุขุมวิท sukhumwit, สะพาน saphan, วัดพระแก้ว watphrakaeo, ' +
	'เชียงราย chiangrai, อุบลราชธานี ubonratchathani, สุราษฎร์ธานี suratthani, ' +
	'ปัตตานี pattani, หาดใหญ่ hatyai, นนทบุรี nonthaburi, สมุทรปราการ samutprakan, ' +
	'บางกอก bangkok, ดอนเมือง donmueang, สุวรรณภูมิ suwannaphum, จันทบุรี chanthaburi, ' +
	'ตราด trat, ระยอง rayong, กาญจนบุรี kanchanaburi, พิษณุโลก phitsanulok, ' +
	'แม่ฮ่องสอน maehongson, ลำปาง lampang, น่าน nan, แพร่ phrae, พะเยา phayao, ' +
	'อุดรธานี udonthani, หนองคาย nongkhai, มุกดาหาร mukdahan, ยโสธร yasothon, ' +
	'สกลนคร sakonnakhon, ร้อยเอ็ด roiet, มหาสารคาม mahasarakham, กาฬสินธุ์ kalasin, ' +
	'บุรีรัมย์ buriram, สุรินทร์ surin, ศรีสะเกษ sisaket, ชัยภูมิ chaiyaphum, ' +
	'กำแพงเพชร kamphaengphet, ชุมพร chumphon, ตรัง trang, ตาก tak, ' +
	'นครนายก nakhonnayok, นครปฐม nakhonpathom, นครพนม nakhonphanom, ' +
	'นครศรีธรรมราช nakhonsithammarat, นครสวรรค์ nakhonsawan, นราธิวาส narathiwat, ' +
	'บึงกาฬ buengkan, ปทุมธานี pathumthani, ประจวบคีรีขันธ์ prachuapkhirikhan, ' +
	'ปราจีนบุรี prachinburi, พังงา phangnga, พัทลุง phatthalung, พิจิตร phichit, ' +
	'เพชรบูรณ์ phetchabun, ยะลา yala, ระนอง ranong, ราชบุรี ratchaburi, ลำพูน lamphun, ' +
	'สงขลา songkhla, สตูล satun, สมุทรสงคราม samutsongkhram, สมุทรสาคร samutsakhon, ' +
	'สระแก้ว sakaeo, สระบุรี saraburi, สิงห์บุรี singburi, สุพรรณบุรี suphanburi, ' +
	'หนองบัวลำภู nongbualamphu, อ่างทอง angthong, อำนาจเจริญ amnatcharoen, ' +
	'อุตรดิตถ์ uttaradit, อุทัยธานี uthaithani, ฉะเชิงเทรา chachoengsao, ' +
	'ชัยนาท chainat';

for (const [name, list] of Object.entries({ everyday, provinces })) {
	test(`${name} words are read by the Royal Thai General System`, () => {
		const wrong = list.split(', ').flatMap((row) => {
			const [thai = '', expected = ''] = row.split(' ');
			const own = latinFromThai(thai).replaceAll(' ', '');
			return own === expected ? [] : [`${thai}: ${own}, not ${expected}`];
		});
		assert.deepEqual(wrong, []);
	});
}

test('words are parted, other scripts and digits stay or become digits', () => {
	assert.equal(
		latinFromThai('สวัสดีครับ ผมชื่อสมชาย อายุ ๒๕ ปี (Bangkok)'),
		'sawatdi khrap phom chue somchai ayu 25 pi (Bangkok)',
	);
	assert.equal(latinFromThai('ต่าง ๆ นานา, abc!'), 'tang tang nana, abc!');
});

test('signs without letters, long runs and odd text end and lose nothing else', () => {
	for (const text of ['', 'ๆ', '่', 'เ', 'ะะะ', 'ก์', 'ฯ', 'aกb', '\uD800ก', 'ฤๅ'])
		assert.equal(typeof latinFromThai(text), 'string');
	assert.equal(latinFromThai('ก'.repeat(2000)).length > 2000, true);
	assert.match(latinFromThai('x ก y'), /^x ka y$/);
});
