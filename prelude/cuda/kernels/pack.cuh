// Neighbours that are read or written together, 16 bytes at a time at most.
template <typename T, int COUNT> struct alignas(sizeof(T) * COUNT > 16 ? 16 : sizeof(T) * COUNT) warpcell_pack {
    T at[COUNT];
};

