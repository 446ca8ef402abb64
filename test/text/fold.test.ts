import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { foldTables } from '../../scripts/fold-tables.js';
import { fold, hasChinese } from '../../src/text/index.js';
import { REGIONAL_ANY_SCRIPT, REGIONAL_GUARDS, REGIONAL_TRADITIONAL } from '../../src/text/regional.js';

const load = createRequire(import.meta.url);

describe('fold', () => {
  it('makes full-width, upper case and compatibility forms equal', () => {
    expect(fold('ＯｒｄｅｒＳｅｒｖｉｃｅ（ＩＤ：１２）')).toBe('orderservice(id:12)');
    expect(fold('⼯⼚')).toBe(fold('工厂'));
  });

  it('drops invisible characters that come along from chat programs', () => {
    expect(fold('超时\u200B关单\uFEFF')).toBe('超时关单');
  });

  it('turns traditional characters and Taiwan words into mainland ones', () => {
    expect(fold('伺服器組態的記憶體不足，資料庫連線池逾時')).toBe('服务器配置的内存不足,数据库连接池超时');
    expect(fold('物件導向程式設計')).toBe('面向对象程序设计');
    expect(fold('後臺發佈訂單，頭髮乾燥')).toBe('后台发布订单,头发干燥');
  });

  it('knows regional words written in simplified characters', () => {
    expect(fold('伺服器、资料库、记忆体、快取')).toBe('服务器、数据库、内存、缓存');
  });

  it.each([
    ['物件儲存的儲存桶', '对象存储的存储桶'],
    ['設定檔案、壓縮檔案、批次檔案', '配置文件、压缩文件、批处理文件'],
    ['偵測巢狀結構與縮排', '检测嵌套结构与缩进'],
    ['轉帳、結帳與帳務紀錄', '转账、结账与账务记录'],
    ['分散式交易的中繼資料', '分布式交易的元数据'],
    ['儀表板的長條圖全螢幕', '仪表盘的柱状图全屏'],
    ['重新啟動後解除安裝', '重启后卸载'],
    ['位址與訊號', '地址与信号'],
  ])('turns %s into %s', (from, to) => expect(fold(from)).toBe(to));

  it('leaves words alone that mean something else on the mainland', () => {
    // 堆积 is a pile-up, 回复 a reply, 行程 a trip, 工具列 the start of 工具列表.
    for (const [from, to] of [
      ['訊息堆積', '消息堆积'],
      ['回復', '回复'],
      ['行程', '行程'],
      ['工具列表', '工具列表'],
      ['資料儲存庫存', '数据储存库存'],
      ['錯亂數據', '错乱数据'],
      ['圖片壓縮排序', '图片压缩排序'],
      ['存放庫存', '存放库存'],
    ] as const)
      expect(fold(from)).toBe(to);
  });

  it('takes the longest word: 資料庫 is not 資料 + 庫', () => {
    expect(fold('資料庫')).toBe('数据库');
    expect(fold('資料夾')).toBe('文件夹');
    expect(fold('資料')).toBe('数据');
  });

  it('leaves mainland words alone that hold a regional word by chance', () => {
    for (const word of ['购物件数', '子网路由', '方程式', '过程式编程', '系列印刷', '简介面板'])
      expect(fold(word)).toBe(word);
    for (const guard of REGIONAL_GUARDS) expect(fold(fold(guard))).toBe(fold(guard));
  });

  it('leaves mainland words alone whose traditional form is a regional word', () => {
    for (const word of ['选单', '外挂', '签章', '设定', '资料', '变数', '磁盘阵列', '程序', '对象', '批次', '项目'])
      expect(fold(word)).toBe(word);
  });

  it('has a table without dead, doubled or contradictory lines', () => {
    const all = [...REGIONAL_TRADITIONAL, ...REGIONAL_ANY_SCRIPT];
    expect(all.length).toBeGreaterThan(200);
    expect(new Set(all.map(([from]) => from)).size).toBe(all.length);
    const toSimplified = (load('opencc-js/t2cn') as typeof import('opencc-js/t2cn')).Converter({ from: 't', to: 'cn' });
    for (const [from, to] of all) {
      expect(fold(from), from).toBe(to.toLowerCase());
      expect(fold(to), `${from} → ${to} must be stable`).toBe(to.toLowerCase());
      expect(toSimplified(from), `${from} needs no line`).not.toBe(to);
    }
    // In traditional-only lines both scripts must differ, or the line would hit simplified text as well.
    for (const [from] of REGIONAL_TRADITIONAL) expect(toSimplified(from), from).not.toBe(from);
  });

  it('changes nothing more when it is applied twice', () => {
    for (let code = 0x4e00; code <= 0x9fff; code++) {
      const once = fold(String.fromCharCode(code));
      if (code !== '薴'.charCodeAt(0)) expect(fold(once)).toBe(once);
    }
  });
});

describe('hasChinese', () => {
  it('sees Han characters beyond the basic block and nothing else', () => {
    expect(hasChinese('a 单')).toBe(true);
    expect(hasChinese('𠮷')).toBe(true);
    expect(hasChinese('order カナ 한국 ，。')).toBe(false);
  });
});

describe('what is folded without OpenCC', () => {
  it('is what OpenCC leaves as it is', () => {
    expect(foldTables()).toBe(readFileSync(new URL('../../src/text/traditional.ts', import.meta.url), 'utf8'));
  });

  it.each([
    ['沈思', '沉思'],
    ['沈阳', '沈阳'],
    ['答覆', '答复'],
    ['覆盖', '覆盖'],
    ['资料库、记忆体', '数据库、内存'],
    ['\u{20BB7}野家', '\u{20BB7}野家'],
  ])('%s → %s', (from, to) => {
    expect(fold(from)).toBe(to);
  });
});
