// Bytes as ASCII characters.

__device__ __forceinline__ bool u8_is_ascii(u8 a) { return a < 128; }

__device__ __forceinline__ bool u8_is_ascii_uppercase(u8 a) { return a >= 'A' && a <= 'Z'; }

__device__ __forceinline__ bool u8_is_ascii_lowercase(u8 a) { return a >= 'a' && a <= 'z'; }

__device__ __forceinline__ bool u8_is_ascii_digit(u8 a) { return a >= '0' && a <= '9'; }

__device__ __forceinline__ bool u8_is_ascii_alphabetic(u8 a) { return (a | 32) >= 'a' && (a | 32) <= 'z'; }

__device__ __forceinline__ bool u8_is_ascii_alphanumeric(u8 a) { return u8_is_ascii_alphabetic(a) || u8_is_ascii_digit(a); }

__device__ __forceinline__ bool u8_is_ascii_hexdigit(u8 a) {
    return u8_is_ascii_digit(a) || ((a | 32) >= 'a' && (a | 32) <= 'f');
}

__device__ __forceinline__ bool u8_is_ascii_graphic(u8 a) { return a > ' ' && a < 127; }

__device__ __forceinline__ bool u8_is_ascii_punctuation(u8 a) { return u8_is_ascii_graphic(a) && !u8_is_ascii_alphanumeric(a); }

__device__ __forceinline__ bool u8_is_ascii_whitespace(u8 a) {
    return a == ' ' || a == '\t' || a == '\n' || a == '\f' || a == '\r';
}

__device__ __forceinline__ bool u8_is_ascii_control(u8 a) { return a < ' ' || a == 127; }

__device__ __forceinline__ u8 u8_to_ascii_uppercase(u8 a) { return u8_is_ascii_lowercase(a) ? u8(a - 32) : a; }

__device__ __forceinline__ u8 u8_to_ascii_lowercase(u8 a) { return u8_is_ascii_uppercase(a) ? u8(a + 32) : a; }
