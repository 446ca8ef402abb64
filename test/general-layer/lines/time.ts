import type { WarningLines } from './types.js';

/** Dates and time zones. */
export const TIME_LINES: WarningLines = {
  'g-gmt-default-now': {
    bad: [
      '    create_time = Column(DateTime, default=datetime.now())',
      'private Date gmtCreate = new Date();',
      'createTime: Date = new Date();',
      '    created_at = datetime.now()',
      'private LocalDateTime createTime = LocalDateTime.now();',
    ],
    good: [
      'private Date gmtCreate;',
      'const now = new Date();',
      'created_at = Column(DateTime, server_default=func.now())',
      'if (createTime === other.createTime) {',
      'LocalDateTime createTime = LocalDateTime.now();',
    ],
  },
  'g-utc-date-slice': {
    bad: [
      'const day = new Date().toISOString().slice(0, 10);',
      "d.toISOString().split('T')[0]",
      'end.toISOString().substring(0, 10)',
    ],
    good: [
      'const iso = new Date().toISOString();',
      'const day = shanghaiDate(now);',
      "'2026-11-30'.slice(0, 10)",
      "dayjs(now).format('YYYY-MM-DD')",
    ],
  },
  'g-static-simple-date-format': {
    bad: [
      'private static final SimpleDateFormat FMT = new SimpleDateFormat("yyyy-MM-dd");',
      'static DateFormat df = createFormat();',
      'public static SimpleDateFormat sdf;',
    ],
    good: [
      'private static final DateTimeFormatter FMT = DateTimeFormatter.ISO_DATE;',
      'SimpleDateFormat fmt = new SimpleDateFormat("yyyy-MM-dd");',
      'private static SimpleDateFormat getFormat(String pattern) {',
      'private static final FastDateFormat FMT = FastDateFormat.getInstance();',
    ],
  },
  'g-week-year-pattern': {
    path: 'src/main/java/com/shop/DateUtil.java',
    bad: [
      'DateTimeFormatter.ofPattern("YYYY-MM-dd")',
      'new SimpleDateFormat("YYYYMMdd")',
      '@JsonFormat(pattern = "YYYY-MM-dd HH:mm:ss")',
      'DateUtil.format(date, "yyyy-MM-DD")',
    ],
    good: [
      'DateTimeFormatter.ofPattern("yyyy-MM-dd")',
      'new SimpleDateFormat("yyyyMMdd")',
      'if ("YYYY-MM-DD".equals(format)) {',
      '@JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss")',
    ],
  },
  'g-twelve-hour-pattern': {
    bad: [
      'new SimpleDateFormat("yyyy-MM-dd hh:mm:ss")',
      'DateTimeFormatter.ofPattern("yyyyMMddhhmmss")',
      "dayjs(time).format('YYYY-MM-DD hh:mm:ss')",
      '@JsonFormat(pattern = "yyyy-mm-dd HH:mm:ss")',
    ],
    good: [
      'new SimpleDateFormat("yyyy-MM-dd HH:mm:ss")',
      "dayjs(time).format('YYYY-MM-DD hh:mm A')",
      "to_char(create_time, 'yyyy-mm-dd')",
      "dayjs(time).format('YYYY-MM-DD HH:mm:ss')",
      'DateTimeFormatter.ofPattern("yyyy-MM-dd hh:mm a")',
    ],
  },
  'g-date-string-parse': {
    path: 'src/pages/order.ts',
    bad: [
      "const start = new Date('2026-01-01 08:00:00');",
      "const day = new Date('2026-01-01');",
      "const end = new Date(day + ' 23:59:59');",
      'const end = new Date(`${day} 23:59:59`);',
    ],
    good: [
      "const start = new Date('2026-01-01T08:00:00+08:00');",
      'const day = new Date(2026, 0, 1);',
      'const end = new Date(ms);',
      "const epoch = new Date('1970-01-01');",
      "const t = new Date(text.replace(/-/g, '/'));",
    ],
  },
  'g-month-off-by-one': {
    path: 'src/pages/calendar.ts',
    bad: [
      "const m = d.getMonth().toString().padStart(2, '0');",
      "const ym = d.getFullYear() + '-' + d.getMonth() + '-' + d.getDate();",
      'const ym = `${d.getFullYear()}-${d.getMonth()}`;',
      'const year = now.getYear();',
    ],
    good: [
      "const ym = d.getFullYear() + '-' + (d.getMonth() + 1);",
      'const ym = `${d.getFullYear()}-${d.getMonth() + 1}`;',
      'const name = MONTHS[d.getMonth()];',
      'const year = date.getYear() + 1900;',
    ],
  },
  'g-jdbc-timezone-utc': {
    bad: [
      'url: jdbc:mysql://db:3306/shop?useUnicode=true&serverTimezone=UTC',
      'spring.datasource.url=jdbc:mysql://db/shop?serverTimezone=GMT&useSSL=true',
      "  serverTimezone: 'UTC'",
    ],
    good: [
      'url: jdbc:mysql://db:3306/shop?serverTimezone=Asia/Shanghai',
      'url: jdbc:mysql://db:3306/shop?serverTimezone=GMT%2B8',
      'Clock.systemUTC()',
      'timeZone: "UTC"',
    ],
  },
  'g-posix-timezone-sign': {
    path: 'Dockerfile',
    bad: ['ENV TZ=GMT+8', 'ENV TZ UTC+8', '  - TZ=GMT+08', 'TimeZone.getTimeZone("Etc/GMT+8")'],
    good: ['ENV TZ=Asia/Shanghai', '  - TZ=CST-8', 'TimeZone.getTimeZone("GMT+8")', '// 时区是 GMT+8'],
  },
  'g-local-time-as-epoch': {
    bad: [
      'ts = time.mktime(datetime.utcnow().timetuple())',
      'long now = LocalDateTime.now().toEpochSecond(ZoneOffset.of("+8"));',
      'ts = datetime.utcnow().timestamp()',
      't = datetime.datetime.utcfromtimestamp(ts)',
    ],
    good: [
      'long now = Instant.now().getEpochSecond();',
      'ts = datetime.now(timezone.utc).timestamp()',
      'long t = order.getPayTime().atZone(SHANGHAI).toEpochSecond();',
      't = datetime.fromtimestamp(ts, tz=SHANGHAI)',
    ],
  },
};
